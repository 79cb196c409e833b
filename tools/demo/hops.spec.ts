import { describe, expect, it } from '@jest/globals';
import { hops } from './hops.js';

const moments = {
  triggered: 100,
  answered: 112,
  created: 105,
  started: 115,
  firstChunkPublished: 140,
  firstChunkSeen: 143,
  completed: 200,
  doneSeen: 204,
};

describe('the hops of a run', () => {
  it('are measured between the moments that bound them', () => {
    expect(hops(moments).map(({ ms }) => ms)).toEqual([12, 10, 25, 3, 85, 4, 104]);
  });

  it('leave out what did not happen', () => {
    const silent = hops({ ...moments, firstChunkPublished: undefined, firstChunkSeen: undefined });
    expect(silent.map(({ ms }) => ms)).toEqual([12, 10, 85, 4, 104]);
  });

  it('are never negative, although clocks are cut to whole milliseconds', () => {
    expect(hops({ ...moments, firstChunkSeen: 139.7 })[3]?.ms).toBe(0);
  });
});
