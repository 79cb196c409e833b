import { describe, expect, it } from '@jest/globals';
import { getRequired } from './get-required.js';

describe('getRequired', () => {
  it('returns the value of the key and throws if there is none', () => {
    expect(getRequired(new Map([['a', 0]]), 'a')).toBe(0);
    expect(() => getRequired(new Map([['a', 0]]), 'b')).toThrow('There is no entry for b');
  });
});
