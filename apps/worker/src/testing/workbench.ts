import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnowledgeReader } from '../skills/knowledge-tools.js';
import { trace } from '@opentelemetry/api';
import { Redactor } from '../redaction/secrets.js';
import { RunSpans } from '../tracing/run-spans.js';
import { OfferedSkills } from '../skills/offered-skills.js';
import { Workspace } from '../workspace/workspace.js';

/** The folder of the runs of a worker under test, which has no skills. */
export const WORKBENCH = {
  skills: new OfferedSkills([], {}),
  workspaceFolder: join(tmpdir(), 'agent-workspaces-of-tests'),
  tracing: { tracer: trace.getTracer('none'), hasContent: false },
};

/** The part of a model gateway under test whose failures are final. */
export const NO_RETRIES = { retries: { retries: 0, maxDelayMs: 1 } };

/** The folder, skills and variables of a task under test. The folder is created when it is first used. */
export const taskWorkbench = (): {
  readonly skills: OfferedSkills;
  readonly workspace: Workspace;
  readonly knowledge: KnowledgeReader;
  readonly spans: RunSpans;
} => ({
  skills: WORKBENCH.skills,
  workspace: new Workspace(WORKBENCH.workspaceFolder),
  knowledge: {
    search: () => Promise.resolve([]),
    read: (id) => Promise.resolve({ id, name: id, description: null, content: null }),
  },
  spans: noSpans(),
});

/** Spans that are not recorded. */
function noSpans(): RunSpans {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: null };
  const lease = { executionId: 'e', token: 't', trace, isMonitored: false, session: { id: null } };
  return new RunSpans(WORKBENCH.tracing.tracer, lease, new Redactor([]), false);
}
