import { describe, expect, it } from '@jest/globals';
import { measureHops } from './hop-timings.js';

const timestamps = {
  triggered: 100,
  responded: 112,
  created: 105,
  started: 115,
  firstChunkPublished: 140,
  firstChunkReceived: 143,
  completed: 200,
  doneReceived: 204,
};

describe('measureHops', () => {
  it('measures each hop between its two timestamps', () => {
    expect(measureHops(timestamps).map(({ ms }) => ms)).toEqual([12, 10, 25, 3, 85, 4, 104]);
  });

  it('omits hops that did not happen', () => {
    const withoutChunks = measureHops({ ...timestamps, firstChunkPublished: undefined, firstChunkReceived: undefined });
    expect(withoutChunks.map(({ ms }) => ms)).toEqual([12, 10, 85, 4, 104]);
  });

  it('is never negative, although the platform truncates timestamps to milliseconds', () => {
    expect(measureHops({ ...timestamps, firstChunkReceived: 139.7 })[3]?.ms).toBe(0);
  });
});
