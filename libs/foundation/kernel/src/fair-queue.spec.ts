import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const OWNERS = ['a', 'b', 'c'];
const owner = fc.constantFrom(...OWNERS);
const step = fc.oneof(
  fc.record({ add: owner, first: fc.boolean() }),
  fc.record({ remove: owner, nth: fc.nat(3) }),
  fc.record({ serve: fc.subarray(OWNERS), most: fc.integer({ min: 1, max: 6 }) }),
);

describe('FairQueue', () => {
  it('serves the owners in turn and the items of each in order, and passes over owners that may not be served', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new FairQueue<number>();
        /** The owners with items, in the order of their turns. */
        let lines: { owner: string; items: number[] }[] = [];
        const lineOf = (name: string) => lines.find((line) => line.owner === name) ?? { owner: name, items: [] };
        for (const [at, one] of steps.entries()) {
          if ('add' in one) {
            const line = lineOf(one.add);
            if (line.items.length === 0) lines.push(line);
            line.items.splice(one.first ? 0 : line.items.length, 0, at);
            if (one.first) queue.unshift(one.add, at);
            else queue.push(one.add, at);
          } else if ('remove' in one) {
            const { items } = lineOf(one.remove);
            const [item = -1] = items.splice(one.nth, 1);
            expect(queue.remove(one.remove, item)).toBe(item >= 0);
          } else {
            const taken = queue.take((name, [first]) => (one.serve.includes(name) ? first : undefined));
            for (let served = 0; served < one.most; served += 1) {
              const next = lines.find((line) => line.items.length > 0 && one.serve.includes(line.owner));
              expect(taken.next().value).toEqual(next && [next.owner, next.items.shift()]);
              if (next !== undefined) lines = [...lines.filter((line) => line !== next), next];
            }
          }
          lines = lines.filter(({ items }) => items.length > 0);
          expect([...queue]).toEqual(lines.map(({ owner: name, items }) => [name, items]));
          expect(queue.length).toBe(lines.flatMap(({ items }) => items).length);
          expect(OWNERS.filter((name) => queue.has(name))).toHaveLength(lines.length);
        }
      }),
    );
  });

  it('takes the item that is chosen, not only the first', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'b1', 'b2']) queue.push(item.charAt(0), item);
    expect([...queue.take((_owner, items) => items.find((item) => item.endsWith('2')))]).toEqual([
      ['a', 'a2'],
      ['b', 'b2'],
    ]);
    expect([...queue.take((_owner, [first]) => first)].map(([, item]) => item)).toEqual(['a1', 'b1']);
  });
});
