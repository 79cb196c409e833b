import { setTimeout as pause } from 'node:timers/promises';
import type { StreamedEvent } from '@app/api-client';
import { CallFault } from './call-fault.js';
import { isOutage, type Execution, type PlatformForCaller } from './platform-for-caller.js';
import { toRun } from './schemas.js';
import type { ToolAnswer, ToolCall } from './tool.js';

/** The statuses of a run that goes on after an action of a user. */
const SUSPENDED: ReadonlySet<string> = new Set(['waiting_for_input', 'paused']);
const UNSUCCESSFUL: ReadonlySet<string> = new Set(['failed', 'cancelled', 'terminated']);
const MAX_MESSAGE_LENGTH = 200;
const MAX_CANCELLING_MS = 30_000;
const CANCEL_AGAIN_MS = 1000;

type Waiting = Pick<ToolCall<unknown>, 'platform' | 'signal' | 'stopping' | 'progress'>;

/**
 * Waits until a run has ended or needs an action, at most `seconds`, and sends its events as progress. Returns early if
 * the call is cancelled, the process stops or the events cannot be read.
 */
export async function waitForRun(call: Waiting, id: string, seconds: number): Promise<void> {
  const { platform, signal, stopping, progress } = call;
  const limit = AbortSignal.any([signal, stopping, AbortSignal.timeout(seconds * 1000)]);
  try {
    for await (const event of platform.events(id, limit)) {
      const message = messageOf(event);
      if (message !== null) progress(message);
      if (SUSPENDED.has(statusIn(event)) && (await isSuspended(platform, id))) return;
    }
  } catch {
    // The time is over, the call was cancelled, or the key may not read the events: the caller reads the execution.
  }
}

/** The event can be older than an action of the user: a stream begins with the stored events. */
async function isSuspended(platform: PlatformForCaller, id: string): Promise<boolean> {
  return SUSPENDED.has((await platform.readExecution(id)).status);
}

/** Returns the status that an event reports; an empty text if it reports none. */
function statusIn({ event, data }: StreamedEvent): string {
  return event === 'connected' || event === 'status' ? data.status : '';
}

/**
 * Cancels a run whose caller has left or cancelled the call. Nobody waits for it, so an outage of the platform is waited
 * out for a time.
 */
export async function cancelRun(platform: PlatformForCaller, id: string): Promise<ToolAnswer> {
  const deadline = performance.now() + MAX_CANCELLING_MS;
  for (;;) {
    try {
      return describeRun(await platform.cancelExecution(id));
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      if (!isOutage(error) || performance.now() > deadline) {
        const text = `The execution ${id} could not be cancelled, so it may go on. ${error.message}`;
        throw new CallFault(text, { cause: error, outcome: 'failed' });
      }
      await pause(CANCEL_AGAIN_MS);
    }
  }
}

/** Reads a run for an answer. The error of a failed read tells how to go on. */
export async function readRun(platform: PlatformForCaller, id: string): Promise<ToolAnswer> {
  try {
    return describeRun(await platform.readExecution(id));
  } catch (error) {
    if (!(error instanceof CallFault)) throw error;
    const advice = `The execution ${id} has been started. Call get_execution with this id to read its result.`;
    throw new CallFault(`${error.message} ${advice}`, { cause: error, outcome: 'failed' });
  }
}

/** Returns whether the run of an answer has not ended. */
export function isUnderWay({ structured: { status } }: ToolAnswer): boolean {
  return status !== 'completed' && !UNSUCCESSFUL.has(String(status));
}

export function describeRun(execution: Execution): ToolAnswer {
  const structured = toRun(execution);
  return { structured, text: textOf(structured), isFailure: UNSUCCESSFUL.has(structured.status) };
}

function textOf({ execution_id: id, status, response, error_message: error }: ReturnType<typeof toRun>): string {
  switch (status) {
    case 'completed':
      return response ?? `The execution ${id} has completed without a response.`;
    case 'failed':
    case 'cancelled':
    case 'terminated':
      return `The execution ${id} has ended with the status ${status}${error === null ? '.' : `: ${error}`}`;
    case 'waiting_for_input':
    case 'paused':
      return `The execution ${id} has the status ${status}: it goes on after an action of a user in the platform.`;
    default:
      return `The execution ${id} has the status ${status}. Call get_execution with this id and wait_seconds to wait for its result.`;
  }
}

/** Returns the progress message of an event; null for events that are no progress. */
function messageOf({ event, data }: StreamedEvent): string | null {
  // Published events have their fields in `data`.
  const fields = (typeof data['data'] === 'object' && data['data'] !== null ? data['data'] : data) as Record<
    string,
    unknown
  >;
  const subject = typeof fields['step'] === 'string' ? fields['step'] : fields['tool_name'];
  switch (event) {
    case 'status':
      return `status: ${short(fields['status'])}`;
    case 'step_started':
    case 'step_failed':
    case 'step_completed':
    case 'tool_started':
    case 'tool_completed':
    case 'member_tool_started':
    case 'member_tool_completed':
      return `${event.replaceAll('_', ' ')}: ${short(subject)}`;
    case 'error':
      return `error: ${short(fields['error'] ?? fields['message'])}`;
    default:
      return null;
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return [...text].slice(0, MAX_MESSAGE_LENGTH).join('');
}
