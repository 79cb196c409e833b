export interface QueueCandidate {
  readonly id: string;
  readonly live_workers: number;
  /** Executions that wait in the queue. */
  readonly waiting: number;
}

/**
 * Which of several queues takes new work: one with live workers before one without, then the one in which the least
 * work waits, then the one with more workers; of equals the first.
 */
export function chooseQueue<T extends QueueCandidate>(candidates: readonly T[]): T | undefined {
  return [...candidates].sort(
    (one, other) =>
      Number(other.live_workers > 0) - Number(one.live_workers > 0) ||
      one.waiting - other.waiting ||
      other.live_workers - one.live_workers,
  )[0];
}
