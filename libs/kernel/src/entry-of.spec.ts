import { describe, expect, it } from '@jest/globals';
import { entryOf } from './entry-of.js';

describe('the entry of a key', () => {
  it('is what the map holds, nothing in place of it', () => {
    expect(entryOf(new Map([['a', 0]]), 'a')).toBe(0);
    expect(() => entryOf(new Map([['a', 0]]), 'b')).toThrow('There is no entry of b');
  });
});
