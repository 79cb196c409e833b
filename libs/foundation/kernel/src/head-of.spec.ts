import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { headOf } from './head-of.js';

describe('headOf', () => {
  it.each([
    ['ab🦉c', 3, 'ab'],
    ['ab🦉c', 4, 'ab🦉'],
    ['🦉', 1, ''],
    ['ab', 5, 'ab'],
    ['', 0, ''],
  ])('of %j and %i is %j', (text, length, head) => expect(headOf(text, length)).toBe(head));

  it('is a beginning of the text, as long as whole characters permit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, length) => {
        const head = headOf(text, length);
        expect(text.startsWith(head) && !/\p{Surrogate}/u.test(head)).toBe(true);
        expect(head.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
      }),
    );
  });
});
