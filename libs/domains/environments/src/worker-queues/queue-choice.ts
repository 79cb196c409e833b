export interface QueueCandidate {
  readonly id: string;
  readonly live_workers: number;
  /** Live workers that have the runtime without which the run cannot begin. */
  readonly able_workers: number;
  /** Live workers that have all runtimes of the run. */
  readonly complete_workers: number;
  /** Executions waiting in the queue. */
  readonly waiting: number;
}

type Workers = Omit<QueueCandidate, 'id' | 'waiting'>;

/**
 * Returns the queues whose workers suit the run best. These are the first non-empty group of: queues with a live worker
 * that has all runtimes of the run; queues with a live worker that has the runtime to begin the run; queues without a
 * live worker, because a suitable one can connect; all queues.
 */
export function bestServed<T extends Workers>(queues: readonly T[]): readonly T[] {
  const suits: readonly ((queue: T) => boolean)[] = [
    (queue) => queue.complete_workers > 0,
    (queue) => queue.able_workers > 0,
    (queue) => queue.live_workers === 0,
  ];
  const best = suits.map((suit) => queues.filter(suit)).find((suited) => suited.length > 0);
  return best ?? queues;
}

/**
 * Chooses the queue for new work among those whose workers suit it best: the one with the least waiting work; if equal,
 * the one with more workers; if equal again, the first. Returns undefined for an empty list.
 */
export function chooseQueue<T extends QueueCandidate>(candidates: readonly T[]): T | undefined {
  return [...bestServed(candidates)].sort(
    (one, other) => one.waiting - other.waiting || other.able_workers - one.able_workers,
  )[0];
}

/** The number of queues whose waiting work is counted first. */
const COUNTED_FIRST = 20;

/**
 * Returns the same queue as `chooseQueue` among queues that suit the run equally. `countWaiting` counts their waiting work,
 * first of the queues with most workers only: one of them without any is chosen, because no other queue can be better.
 */
export async function chooseByWaiting<T extends Omit<QueueCandidate, 'waiting'>>(
  queues: readonly T[],
  countWaiting: (queueIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<T | undefined> {
  const ordered = queues.toSorted((one, other) => other.able_workers - one.able_workers);
  const candidates: (T & QueueCandidate)[] = [];
  for (const part of [ordered.slice(0, COUNTED_FIRST), ordered.slice(COUNTED_FIRST)]) {
    if (part.length === 0) break;
    const waiting = await countWaiting(part.map(({ id }) => id));
    candidates.push(...part.map((queue) => ({ ...queue, waiting: waiting.get(queue.id) ?? 0 })));
    const idle = candidates.find((queue) => queue.waiting === 0);
    if (idle !== undefined) return idle;
  }
  return chooseQueue(candidates);
}
