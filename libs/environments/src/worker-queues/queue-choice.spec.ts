import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseQueue } from './queue-choice.js';

const queue = (id: string, live_workers: number, waiting: number) => ({ id, live_workers, waiting });
const candidate = fc.record({ id: fc.string(), live_workers: fc.nat(3), waiting: fc.nat(5) });

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
