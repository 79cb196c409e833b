import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeldPlaces } from './held-places.js';

describe('HeldPlaces', () => {
  it('counts as a list of the places would, and forgets owners without one', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), acquires: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const [held, list] = [new HeldPlaces(), new Array<string>()];
        for (const { owner, acquires } of steps) {
          if (acquires) {
            held.acquire(owner);
            list.push(owner);
          } else {
            held.release(owner);
            if (list.includes(owner)) list.splice(list.indexOf(owner), 1);
          }
          const owners = [...new Set(list)].map((one) => [one, list.filter((place) => place === one).length] as const);
          expect(new Map(held)).toEqual(new Map(owners));
          expect([held.total, held.owners]).toEqual([list.length, owners.length]);
        }
      }),
    );
  });
});
