export interface QueueCandidate {
  readonly id: string;
  readonly live_workers: number;
  /** Executions waiting in the queue. */
  readonly waiting: number;
}

/**
 * Chooses the queue for new work: a queue with live workers before one without, then the one with the least waiting
 * work, then the one with more workers; among equals the first. Returns undefined for an empty list.
 */
export function chooseQueue<T extends QueueCandidate>(candidates: readonly T[]): T | undefined {
  return [...candidates].sort(
    (one, other) =>
      Number(other.live_workers > 0) - Number(one.live_workers > 0) ||
      one.waiting - other.waiting ||
      other.live_workers - one.live_workers,
  )[0];
}
