import type { QueueLoad } from './overview.queries';

export interface QueueFigures {
  readonly running: number;
  readonly waiting: number;
  /** Start of the longest wait; null if nothing waits. */
  readonly oldestWaitingAt: string | null;
  readonly waitingForInput: number;
  readonly oldestWaitingForInputAt: string | null;
  readonly aliveWorkers: number;
  readonly knownWorkers: number;
}

/** Returns the sums over all queues. */
export function sumQueues(queues: readonly QueueLoad[]): QueueFigures {
  const sum = (count: (queue: QueueLoad) => number): number => queues.reduce((total, queue) => total + count(queue), 0);
  return {
    running: sum(({ running }) => running),
    waiting: sum(({ waiting }) => waiting),
    oldestWaitingAt: earliest(queues.map(({ oldest_waiting_at: at }) => at)),
    waitingForInput: sum(({ waiting_for_input: waiting }) => waiting),
    oldestWaitingForInputAt: earliest(queues.map(({ oldest_waiting_for_input_at: at }) => at)),
    aliveWorkers: sum(aliveWorkersOf),
    knownWorkers: sum((queue) => aliveWorkersOf(queue) + queue.workers.stale),
  };
}

export function aliveWorkersOf({ workers: { active, idle, busy } }: QueueLoad): number {
  return active + idle + busy;
}

/** Returns whether work waits that nobody takes. */
export function isAbandoned(queue: QueueLoad): boolean {
  return queue.waiting > 0 && aliveWorkersOf(queue) === 0;
}

/** Returns the queues with the longest wait first, then those without one by name. */
export function byWait(queues: readonly QueueLoad[]): QueueLoad[] {
  return queues.toSorted(
    (a, b) =>
      (a.oldest_waiting_at ?? '9').localeCompare(b.oldest_waiting_at ?? '9') ||
      a.queue_name.localeCompare(b.queue_name),
  );
}

/** Times are ISO 8601 in UTC, whose order is that of their texts. */
function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).toSorted()[0] ?? null;
}
