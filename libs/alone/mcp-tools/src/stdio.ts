import { setTimeout as pause } from 'node:timers/promises';
import { onShutdownSignals } from '@app/kernel';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CallWatch } from './call-watch.js';
import { ExposedWorkflows } from './exposed-workflows.js';
import { simpleMode } from './identity.js';
import type { PlatformEndpoint } from './platform-for-caller.js';
import { createWorkflowServer } from './workflow-server.js';

export interface StdioOptions {
  readonly endpoint: PlatformEndpoint;
  /** The key of calls without an `api_key`; null for none. */
  readonly apiKey: string | null;
  /** How long a call that runs a workflow waits for the result, in seconds. */
  readonly waitSeconds: number;
  /** Whether each workflow is a tool of its own as well. */
  readonly exposeWorkflows: boolean;
  /** How long the process may take to cancel its runs before it exits, in milliseconds. */
  readonly graceMs: number;
  readonly record: CallWatch['record'];
  readonly report: CallWatch['report'];
  readonly warn: (message: string) => void;
}

/** The exit code of a process that the second of two signals ends. */
const EXIT_FORCED = 130;

/**
 * Serves one client over the standard input and output of this process. When the input ends or a signal asks the process
 * to stop, the client is gone: cancels the runs of its calls, and exits.
 */
export function serveOverStdio(options: StdioOptions): void {
  const { endpoint, apiKey, waitSeconds, exposeWorkflows, graceMs, record, report, warn } = options;
  const calls = new OpenCallCount();
  const server = {
    endpoint,
    identityOf: simpleMode(apiKey),
    watch: { admit: () => calls.enter(), record, report },
    waitSeconds,
    stopping: new AbortController().signal,
    exposed: exposeWorkflows ? new ExposedWorkflows(endpoint, warn) : null,
  };
  const connection = serveStdio(() => createWorkflowServer(server, undefined));
  let isLeaving = false;
  const leave = async (): Promise<void> => {
    if (isLeaving) return;
    isLeaving = true;
    // Aborts the calls, as the end of any connection does.
    await connection.close();
    await Promise.race([calls.ended(), pause(graceMs)]);
    process.exit(0);
  };
  onShutdownSignals({ stop: () => void leave(), force: () => process.exit(EXIT_FORCED) });
  // Not a signal: clients close the input and send the first signal soon after.
  process.stdin.once('end', () => void leave()).once('close', () => void leave());
}

/** Counts the calls in progress. */
class OpenCallCount {
  private count = 0;
  private onEnd: (() => void) | undefined;

  /** Returns a function that ends the call. */
  enter(): () => void {
    this.count += 1;
    return () => {
      this.count -= 1;
      if (this.count === 0) this.onEnd?.();
    };
  }

  /** Resolves when no call is in progress. */
  ended(): Promise<void> {
    return this.count === 0 ? Promise.resolve() : new Promise((resolve) => (this.onEnd = resolve));
  }
}
