import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseOverviewSearch, periodOf, RANGE_NAMES, rangeOf } from './overview.search';

describe('the period of the overview', () => {
  it('is the last day unless the address says otherwise', () => {
    expect(rangeOf(parseOverviewSearch({}))).toBe('24h');
    expect(parseOverviewSearch({ range: '24h' })).toEqual({});
    expect(parseOverviewSearch({ range: 'constructor' })).toEqual({});
    expect(parseOverviewSearch({ range: '7d' })).toEqual({ range: '7d' });
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
