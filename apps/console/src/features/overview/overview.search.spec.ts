import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseOverviewSearch, periodOf, RANGE_NAMES, rangeOf, shownPeriod } from './overview.search';

describe('the period of the overview', () => {
  it('is the last day unless the address says otherwise', () => {
    expect(rangeOf(parseOverviewSearch({}))).toBe('24h');
    expect(parseOverviewSearch({ range: '24h' })).toEqual({});
    expect(parseOverviewSearch({ range: 'constructor' })).toEqual({});
    expect(parseOverviewSearch({ range: '7d' })).toEqual({ range: '7d' });
  });

  it('is one of its own, if the address says one that the server takes', () => {
    const own = { from: '2026-11-29T10:01:30.000Z', to: '2026-11-29T11:00:00.000Z' };
    expect(parseOverviewSearch({ ...own, range: '7d' })).toEqual(own);
    expect(parseOverviewSearch({ from: own.to, to: own.from })).toEqual({});
    expect(parseOverviewSearch({ from: own.from, to: 'now', range: '7d' })).toEqual({ range: '7d' });
    expect(parseOverviewSearch({ from: '2026-11-01T00:00:00Z', to: own.to })).toEqual({});
  });

  it('is one of its own only if the server takes it with whole bars', () => {
    const week = { from: '2026-11-20T06:00:00.000Z', to: '2026-11-27T06:00:00.000Z' };
    expect(parseOverviewSearch(week)).toEqual(week);
    expect(parseOverviewSearch({ from: '2026-11-20T06:01:00.000Z', to: '2026-11-27T06:01:00.000Z' })).toEqual({});
  });

  it.each([
    ['2026-11-29T12:00:00.000Z', 60, '2026-11-29T10:01:00.000Z', '2026-11-29T11:00:00.000Z'],
    ['2026-12-12T09:00:00.000Z', 60, '2026-11-29T10:01:00.000Z', '2026-11-29T11:00:00.000Z'],
    ['2026-12-14T09:00:00.000Z', 900, '2026-11-29T10:00:00.000Z', '2026-11-29T11:00:00.000Z'],
    ['2027-03-20T09:00:00.000Z', 21_600, '2026-11-29T06:00:00.000Z', '2026-11-29T12:00:00.000Z'],
  ])('has at %s bars of %d s, which the server still keeps', (now, bucketSeconds, from, to) => {
    const own = { from: '2026-11-29T10:01:30.000Z', to: '2026-11-29T11:00:00.000Z' };
    expect(shownPeriod(own, new Date(now))).toEqual({ from, to, bucketSeconds });
  });

  it('has fewer bars the longer it is', () => {
    const week = { from: '2026-11-20T10:01:30.000Z', to: '2026-11-27T10:01:30.000Z' };
    const shown = shownPeriod(week, new Date('2026-11-29T12:00:00.000Z'));
    expect(shown).toMatchObject({ bucketSeconds: 21_600, to: '2026-11-27T12:00:00.000Z' });
  });

  it('contains now, ends on the edge of a bar, and has no more bars than the server gives', () => {
    const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...RANGE_NAMES), times, (range, now) => {
        const { from, to, bucketSeconds } = periodOf(range, now);
        const [start, end] = [Date.parse(from), Date.parse(to)];
        expect(start <= now.getTime() && now.getTime() < end).toBe(true);
        expect([start % (bucketSeconds * 1000), end % (bucketSeconds * 1000)]).toEqual([0, 0]);
        expect((end - start) / (bucketSeconds * 1000)).toBeLessThanOrEqual(400);
      }),
    );
  });
});
