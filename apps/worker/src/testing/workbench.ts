import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeReader } from '../skills/knowledge-tools.js';
import { OfferedSkills } from '../skills/offered-skills.js';
import { Workspace } from '../workspace/workspace.js';

/** Where a worker under test runs: a folder of runs, and no skills. */
export const WORKBENCH = {
  skills: new OfferedSkills([], {}),
  workspaceFolder: join(tmpdir(), 'agent-workspaces-of-tests'),
};

/** What a task under test works with; the folder is only created by a test that uses it. */
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
