import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEvent } from '@app/api-client';
import { ProvisionError } from '../provision/provision-error.js';
import type { DemoControlPlane, DemoExecution } from './control-plane.js';

const RUN_TIMEOUT_MS = 60_000;

export type Print = (line: string) => void;

/** A started execution. */
export interface Followed {
  readonly executionId: string;
  /** When it was triggered, in milliseconds since the epoch. */
  readonly since: number;
  readonly print: Print;
  /** Returns the text of an event; undefined for one that is not printed. */
  readonly describe: (event: AnyEvent) => string | undefined;
}

export interface ReceivedEvents {
  readonly firstChunk: { readonly publishedAt: number; readonly receivedAt: number } | undefined;
  readonly doneAt: number;
}

/** A completed execution, with the arrival times of its events. */
export interface FollowedRun {
  readonly execution: DemoExecution;
  readonly received: ReceivedEvents;
}

/** Prints the events of an execution as they arrive, then its result. Throws if it fails or does not end in time. */
export async function followRun(controlPlane: DemoControlPlane, followed: Followed): Promise<FollowedRun> {
  const received = await followEvents(controlPlane, followed);
  const execution = await controlPlane.execution(followed.executionId);
  const { status, response, usage, error_message } = execution;
  const lines = ['', `status     ${status}`, `response   ${response ?? '-'}`, `usage      ${JSON.stringify(usage)}`];
  for (const line of lines)
    line.split('\n').forEach((part, n) => followed.print(n === 0 ? part : `           ${part}`));
  if (status === 'completed') return { execution, received };
  throw new ProvisionError(
    `The execution ended with status ${status}: ${error_message ?? 'no error message'}`,
    'See the logs of the worker and the control plane.',
  );
}

/** The payload of an event: published events nest it under `data`, others are flat. */
export function payloadOf({ data }: AnyEvent): Record<string, unknown> {
  return typeof data['data'] === 'object' && data['data'] !== null ? (data['data'] as Record<string, unknown>) : data;
}

/** The time in milliseconds since the epoch. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

async function followEvents(
  controlPlane: DemoControlPlane,
  { executionId, since, print, describe }: Followed,
): Promise<ReceivedEvents> {
  let firstChunk: ReceivedEvents['firstChunk'];
  const waiting = new AbortController();
  const events = controlPlane.stream(executionId, waiting.signal);
  const done = (async () => {
    for await (const event of events) {
      const receivedAt = now();
      const text = describe(event);
      if (text !== undefined) print(`${`+${(receivedAt - since).toFixed(0)}`.padStart(8)} ms  ${text}`);
      const timestamp = event.data['timestamp'];
      if (event.event === 'message_chunk' && firstChunk === undefined && typeof timestamp === 'string') {
        firstChunk = { publishedAt: Date.parse(timestamp), receivedAt };
      }
      if (event.event === 'done') return receivedAt;
    }
    throw new Error('The event stream ended before the execution');
  })();
  const timedOut = sleep(RUN_TIMEOUT_MS, undefined, { signal: waiting.signal, ref: false }).then(() => {
    throw new ProvisionError(
      `The execution had not ended after ${RUN_TIMEOUT_MS / 1000} s.`,
      'See the logs of the worker and the control plane.',
    );
  });
  try {
    return { doneAt: await Promise.race([done, timedOut]), firstChunk };
  } finally {
    // The abort rejects the other promise of the race; this rejection is ignored.
    done.catch(() => undefined);
    timedOut.catch(() => undefined);
    waiting.abort();
  }
}
