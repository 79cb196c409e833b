import { createHash } from 'node:crypto';

/** A message of a task queue: "this attempt of this execution wants a worker". The facts are in Postgres. */
export interface Delivery {
  readonly organizationId: string;
  readonly executionId: string;
  /** Counts from 1. A message of an earlier attempt is worthless. */
  readonly attempt: number;
}

/** How a worker's poll receives deliveries. */
export interface ReceiveOptions {
  /** At most so many deliveries; the call returns as soon as it has one. */
  readonly max: number;
  /** How long to wait for the first one, in milliseconds; 0 only looks. */
  readonly waitMs: number;
  /** Ends the wait early, with nothing. */
  readonly signal?: AbortSignal;
  /**
   * Asked before each look at the queue. `false` leaves everything where it is, for whoever asks (a paused queue), until
   * `wake`. What keeps only this caller from taking must throw: then its wake-up goes to somebody who can use it.
   */
  readonly mayTake?: () => Promise<boolean>;
}

/** The same delivery always has the same job id, so adding it twice is once. Execution ids may hold `:` and `.`. */
export function jobIdOf({ organizationId, executionId, attempt }: Delivery): string {
  const digest = createHash('sha256').update(`${organizationId}\n${executionId}`).digest('hex');
  return `${digest.slice(0, 32)}-${attempt}`;
}

/** The braces make all keys of one queue live in one slot of a Redis Cluster. */
export function queueNameOf(queueId: string): string {
  return `{work.${queueId.replaceAll(':', '_')}}`;
}
