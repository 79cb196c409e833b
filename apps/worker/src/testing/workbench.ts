import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeReader } from '../skills/knowledge-tools.js';
import { OfferedSkills } from '../skills/offered-skills.js';
import { Workspace } from '../workspace/workspace.js';

/** The folder of the runs of a worker under test, which has no skills. */
export const WORKBENCH = {
  skills: new OfferedSkills([], {}),
  workspaceFolder: join(tmpdir(), 'agent-workspaces-of-tests'),
};

/** The folder, skills and variables of a task under test. The folder is created when it is first used. */
export const taskWorkbench = (): {
  readonly skills: OfferedSkills;
  readonly workspace: Workspace;
  readonly knowledge: KnowledgeReader;
} => ({
  skills: WORKBENCH.skills,
  workspace: new Workspace(WORKBENCH.workspaceFolder),
  knowledge: {
    search: () => Promise.resolve([]),
    read: (id) => Promise.resolve({ id, name: id, description: null, content: null }),
  },
});
