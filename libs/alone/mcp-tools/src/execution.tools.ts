import { z } from 'zod';
import { newId } from '@app/kernel';
import { CallFault } from './call-fault.js';
import { cancelRun, describeRun, readRun, waitForRun, isUnderWay } from './run.js';
import { EXECUTION_ID, IDEMPOTENCY_KEY, PARAMS, RUN, WORKFLOW_NAME } from './schemas.js';
import { addTool, type ToolAnswer, type ToolCall, type ToolHost } from './tool.js';

export interface ExecutionToolsOptions {
  /** How long a call that runs a workflow waits for the result, in seconds. */
  readonly waitSeconds: number;
}

/** The longest wait of one call, in seconds. Many clients end a call after a minute. */
const MAX_WAIT_SECONDS = 600;
/** A call that starts a run is neither safe to repeat nor without effect. */
export const RUNNING = { readOnlyHint: false, destructiveHint: false, idempotentHint: false } as const;

/** Offers the tools that run workflows, and show and cancel executions. */
export function addExecutionTools(host: ToolHost, { waitSeconds }: ExecutionToolsOptions): void {
  addTool(host, {
    name: 'execute_workflow',
    title: 'Run a workflow',
    description:
      `Runs a workflow and returns its result. If it takes longer than ${waitSeconds} s, returns the id and status of ` +
      'the execution, with which get_execution waits further.',
    input: { name: WORKFLOW_NAME, params: PARAMS, idempotency_key: IDEMPOTENCY_KEY },
    output: RUN,
    annotations: RUNNING,
    run: (call) => {
      const { name, params = {}, idempotency_key: idempotencyKey } = call.input;
      return runWorkflow(call, name, { params, waitSeconds, idempotencyKey });
    },
  });
  addTool(host, {
    name: 'get_execution',
    title: 'Show an execution',
    description:
      'Returns the status and result of an execution. With wait_seconds, waits until it has ended or needs an action of a user.',
    input: {
      execution_id: EXECUTION_ID,
      wait_seconds: z
        .number()
        .min(0)
        .max(MAX_WAIT_SECONDS)
        .default(0)
        .describe(`How long to wait for the end, 0 to ${MAX_WAIT_SECONDS} s. Default 0`),
    },
    output: RUN,
    annotations: { readOnlyHint: true },
    run: async (call) => {
      const { execution_id: id, wait_seconds: seconds } = call.input;
      const now = await call.platform.readExecution(id);
      call.noteExecution(id);
      if (seconds === 0 || now.completed_at !== null) return describeRun(now);
      await waitForRun(call, id, seconds);
      return readRun(call.platform, id);
    },
  });
  addTool(host, {
    name: 'cancel_execution',
    title: 'Cancel an execution',
    description: 'Cancels an execution. One that has already ended remains as it is.',
    input: { execution_id: EXECUTION_ID },
    output: RUN,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async (call) => {
      const execution = await call.platform.cancelExecution(call.input.execution_id);
      call.noteExecution(execution.id);
      return { ...describeRun(execution), isFailure: false };
    },
  });
}

type RunCall = Omit<ToolCall<unknown>, 'input'>;

interface RunOptions {
  readonly params: Record<string, unknown>;
  readonly waitSeconds: number;
  /** A call with the key of an earlier one gets its run. Default: a new key. */
  readonly idempotencyKey?: string | undefined;
}

/** Reads a run; undefined if that failed and the client has left meanwhile. */
async function readUnlessAborted({ platform, signal }: RunCall, id: string): Promise<ToolAnswer | undefined> {
  try {
    return await readRun(platform, id);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Starts a run and waits for its result. Cancels the run if the client cancels the call or disconnects before it. */
export async function runWorkflow(
  call: RunCall,
  name: string,
  { params, waitSeconds, idempotencyKey = newId() }: RunOptions,
): Promise<ToolAnswer> {
  const { platform, signal } = call;
  if (signal.aborted) {
    throw new CallFault('The call was cancelled before the workflow was started.', { outcome: 'cancelled' });
  }
  // Without the signal: an aborted request could start a run whose id nobody knows.
  const { execution_id: id } = await platform.executeWorkflow(name, params, idempotencyKey);
  call.noteExecution(id);
  call.progress(`execution: ${id}`);
  await waitForRun(call, id, waitSeconds);
  const answer = signal.aborted ? undefined : await readUnlessAborted(call, id);
  if (answer !== undefined && !(signal.aborted && isUnderWay(answer))) return answer;
  const cancelled = await cancelRun(platform, id);
  call.noteCancelled();
  return cancelled;
}
