import { describe, expect, it } from '@jest/globals';
import { durationText } from './duration';

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [850.4, '850 ms'],
    [999.7, '1.0 s'],
    [2400, '2.4 s'],
    [59_999, '1 min 0 s'],
    [185_000, '3 min 5 s'],
    [3_599_800, '1 h 0 min'],
    [7_800_000, '2 h 10 min'],
  ])('%p is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
