import { describe, expect, it } from '@jest/globals';
import { timestampText } from './timestamp-text.js';

describe('timestampText', () => {
  it.each([
    ['2026-11-28T19:00:00.123Z', '2026-11-28T19:00:00.123Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T00:00:00.000Z', '0001-12-31T00:00:00.000Z BC'],
    ['-000043-03-15T12:00:00.000Z', '0044-03-15T12:00:00.000Z BC'],
    ['+010000-01-01T13:59:59.000Z', '10000-01-01T13:59:59.000Z'],
  ])('returns %s as %s', (time, text) => {
    expect(timestampText(new Date(time))).toBe(text);
  });
});
