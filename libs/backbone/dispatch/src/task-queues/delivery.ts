import { createHash } from 'node:crypto';

/**
 * A message of a task queue, which says that an attempt of an execution needs a worker. The authoritative state is in
 * PostgreSQL.
 */
export interface Delivery {
  readonly organizationId: string;
  readonly executionId: string;
  /** Starts at 1. A delivery of an earlier attempt is no longer valid. */
  readonly attempt: number;
}

/** How a worker's poll receives deliveries. */
export interface ReceiveOptions {
  /** Maximum number of deliveries. */
  readonly max: number;
  /** Time to wait for the first delivery, in milliseconds; with 0 the queue is read once. */
  readonly waitMs: number;
  /** Ends the wait early, without deliveries. */
  readonly signal?: AbortSignal;
  /**
   * Called before each read of the queue. Returning false leaves all deliveries in the queue until `wake`: for conditions
   * that hold for every poll, such as a paused queue. A condition of one poll alone must throw instead, so that its
   * notification is passed to another poll.
   */
  readonly mayTake?: () => Promise<boolean>;
}

/** Deterministic, so that adding the same delivery again has no effect. Hashed, because execution ids may contain `:`. */
export function jobIdOf({ organizationId, executionId, attempt }: Delivery): string {
  const digest = createHash('sha256').update(`${organizationId}\n${executionId}`).digest('hex');
  return `${digest.slice(0, 32)}-${attempt}`;
}

/** The braces place all keys of a queue in one hash slot of a Redis Cluster. */
export function queueNameOf(queueId: string): string {
  return `{work.${queueId.replaceAll(':', '_')}}`;
}
