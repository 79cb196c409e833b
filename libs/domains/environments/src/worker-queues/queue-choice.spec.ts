import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bestServed, chooseByWaiting, chooseQueue, type QueueCandidate } from './queue-choice.js';

interface Workers {
  readonly live: number;
  readonly able?: number;
  readonly complete?: number;
}

function queue(id: string, workers: number | Workers, waiting: number): QueueCandidate {
  const { live, able = live, complete = able } = typeof workers === 'number' ? { live: workers } : workers;
  return { id, live_workers: live, able_workers: able, complete_workers: complete, waiting };
}

const workers = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((counts) => {
  const [complete, able, live] = counts.sort((one, other) => one - other);
  return { live, able, complete };
});
const candidate = fc
  .record({ id: fc.string(), workers, waiting: fc.nat(5) })
  .map(({ id, workers: counts, waiting }) => queue(id, counts, waiting));

describe('chooseQueue', () => {
  it('prefers a queue with a live worker, however much work waits in it', () => {
    expect(chooseQueue([queue('empty', 0, 0), queue('manned', 1, 50)])?.id).toBe('manned');
  });

  it('prefers the least waiting work among queues with live workers', () => {
    expect(chooseQueue([queue('a', 4, 3), queue('b', 1, 2), queue('c', 1, 5)])?.id).toBe('b');
  });

  it('prefers more workers for equal waiting work, and the first of equals', () => {
    expect(chooseQueue([queue('a', 1, 2), queue('b', 3, 2), queue('c', 3, 2)])?.id).toBe('b');
  });

  it('prefers the least waiting work if no queue has a worker', () => {
    expect(chooseQueue([queue('a', 0, 3), queue('b', 0, 1)])?.id).toBe('b');
  });

  it('prefers workers with all runtimes, then workers that can begin the run, however much work waits for them', () => {
    const lacking = queue('lacking', { live: 3, able: 0 }, 0);
    const able = queue('able', { live: 2, able: 1, complete: 0 }, 5);
    const complete = queue('complete', { live: 1 }, 9);
    expect(chooseQueue([lacking, able, complete])?.id).toBe('complete');
    expect(chooseQueue([lacking, able])?.id).toBe('able');
  });

  it('prefers a queue without workers to workers that cannot begin the run', () => {
    expect(chooseQueue([queue('lacking', { live: 1, able: 0 }, 0), queue('empty', 0, 3)])?.id).toBe('empty');
    expect(chooseQueue([queue('lacking', { live: 1, able: 0 }, 0)])?.id).toBe('lacking');
  });

  it('never chooses a queue that cannot begin the run if another one can', () => {
    fc.assert(
      fc.property(fc.array(candidate), (candidates) => {
        const chosen = chooseQueue(candidates);
        if (!candidates.some(({ able_workers: able }) => able > 0)) return;
        expect(chosen?.able_workers).toBeGreaterThan(0);
      }),
    );
  });

  it('returns undefined for an empty list and does not modify its input', () => {
    fc.assert(
      fc.property(fc.array(candidate), (candidates) => {
        const before = structuredClone(candidates);
        const chosen = chooseQueue(candidates);
        expect(chosen === undefined).toBe(candidates.length === 0);
        expect(candidates).toEqual(before);
      }),
    );
  });
});

describe('chooseByWaiting', () => {
  const countIn = (queues: readonly QueueCandidate[], counted: string[] = []) => {
    const waiting = new Map(queues.map((one) => [one.id, one.waiting]));
    return async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      counted.push(...ids);
      return waiting;
    };
  };

  it('chooses the same queue as if all were counted', async () => {
    const queues = fc
      .array(candidate, { maxLength: 60 })
      .map((all) => bestServed(all.map((one, index) => ({ ...one, id: `queue-${index}` }))));
    await fc.assert(
      fc.asyncProperty(queues, async (all) => {
        expect((await chooseByWaiting(all, countIn(all)))?.id).toBe(chooseQueue(all)?.id);
      }),
    );
  });

  it('counts the work of few queues while one of them has none, and otherwise of each queue once', async () => {
    const named = (waiting: number): QueueCandidate[] =>
      Array.from({ length: 1000 }, (_one, index) => queue(`queue-${index}`, 1, waiting));
    const counted: string[][] = [[], []];
    await chooseByWaiting(named(0), countIn(named(0), counted[0]));
    await chooseByWaiting(named(1), countIn(named(1), counted[1]));
    expect(counted.map((ids) => ids.length)).toEqual([20, 1000]);
  });
});
