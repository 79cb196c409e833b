import { describe, expect, it } from '@jest/globals';
import { relativeTime } from './relative-time';

const NOW = new Date('2026-11-27T12:00:00Z');

describe('relativeTime', () => {
  it.each([
    ['2026-11-27T12:00:00Z', 'now'],
    ['2026-11-27T11:59:01Z', 'now'],
    ['2026-11-27T11:59:00Z', '1 minute ago'],
    ['2026-11-27T14:20:00Z', 'in 2 hours'],
    ['2026-11-26T12:00:00Z', '1 day ago'],
    ['2026-11-29T11:00:00Z', 'in 2 days'],
    ['2026-08-27T12:00:00Z', '3 months ago'],
    ['2028-11-27T12:00:00Z', 'in 2 years'],
  ])('of %s is "%s"', (time, text) => {
    expect(relativeTime(new Date(time), NOW)).toBe(text);
  });
});
