import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EvaluationQueue } from './evaluation-queue.js';

const anybody = (): boolean => true;
const URGENT = { isUrgent: true };
const OTHER = { isUrgent: false };

function takeAll(queue: EvaluationQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(anybody); next !== undefined; next = queue.take(anybody)) taken.push(next.item);
  return taken;
}

describe('EvaluationQueue', () => {
  it('serves the organizations in turn, and the items of each in order', () => {
    const queue = new EvaluationQueue<string>(10);
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.charAt(0), item, URGENT);
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('removes the last item of the organization with the most items when it is full', () => {
    const queue = new EvaluationQueue<string>(3);
    for (const item of ['a1', 'a2', 'a3']) expect(queue.push('a', item, URGENT)).toBeUndefined();
    expect(queue.push('a', 'a4', URGENT)).toBe('a4');
    expect(queue.push('b', 'b1', URGENT)).toBe('a3');
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  it('serves the urgent items of an organization first, and removes them last', () => {
    const queue = new EvaluationQueue<string>(4);
    for (const item of ['a1', 'a2']) queue.push('a', item, OTHER);
    queue.push('b', 'b1', OTHER);
    queue.push('a', 'a3', URGENT);
    expect(queue.push('a', 'a4', URGENT)).toBe('a2');
    expect(takeAll(queue)).toEqual(['a3', 'b1', 'a4', 'a1']);
  });

  it('never exceeds its capacity and loses no item', () => {
    const pushes = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
    fc.assert(
      fc.property(pushes, fc.integer({ min: 1, max: 10 }), (organizations, capacity) => {
        const queue = new EvaluationQueue<string>(capacity);
        const items = organizations.map((organization, at) => `${organization}${at}`);
        const refused = items.flatMap((item) => queue.push(item.charAt(0), item, URGENT) ?? []);
        const taken = takeAll(queue);
        expect(taken.length).toBe(Math.min(capacity, items.length));
        expect([...taken, ...refused].toSorted()).toEqual(items.toSorted());
      }),
    );
  });
});
