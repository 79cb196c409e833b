import { describe, expect, it } from '@jest/globals';
import { distinctBy } from './distinct-by.js';

describe('distinctBy', () => {
  it('keeps the first value of each key, in the order of the values', () => {
    expect(distinctBy(['b1', 'a1', 'b2', 'c1', 'a2'], (value) => value.charAt(0))).toEqual(['b1', 'a1', 'c1']);
  });
});
