import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CallRecord } from './call-watch.js';
import { ExposedWorkflows } from './exposed-workflows.js';
import { simpleMode } from './identity.js';
import { createWorkflowServer } from './workflow-server.js';

export interface StdioOptions {
  /** The platform API, without a trailing slash. */
  readonly platformUrl: string;
  /** The key of calls without an `api_key`; null for none. */
  readonly apiKey: string | null;
  /** How long a call that runs a workflow waits for the result, in seconds. */
  readonly waitSeconds: number;
  /** Whether each workflow is a tool of its own as well. */
  readonly exposeWorkflows: boolean;
  readonly record: (call: CallRecord) => void;
}

/** Serves one client over the standard input and output of this process, until the input ends. */
export function serveOverStdio({ platformUrl, apiKey, waitSeconds, exposeWorkflows, record }: StdioOptions): void {
  const options = {
    platformUrl,
    identityOf: simpleMode(apiKey),
    watch: { admit: () => () => undefined, record },
    waitSeconds,
    stopping: new AbortController().signal,
    exposed: exposeWorkflows ? new ExposedWorkflows() : null,
  };
  serveStdio(() => createWorkflowServer(options, undefined));
}
