import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { USAGE_LEVELS } from './aggregation.sql.js';
import { coverPeriod } from './period-cover.js';

const HOUR_MS = 3_600_000;

describe('coverPeriod', () => {
  const time = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') });

  it('covers every moment of a period once, with whole buckets and edges shorter than an hour', () => {
    fc.assert(
      fc.property(fc.option(time), fc.option(time), (from, to) => {
        const period = {
          ...(from === null ? {} : { from: new Date(from) }),
          ...(to === null ? {} : { to: new Date(to) }),
        };
        const { ranges, edges } = coverPeriod(period, USAGE_LEVELS);
        const parts = [...ranges, ...edges].sort((a, b) => a.from - b.from);
        if ((from ?? -Infinity) >= (to ?? Infinity)) {
          expect(parts).toEqual([]);
          return;
        }
        expect(parts[0]?.from).toBe(from ?? -Infinity);
        expect(parts.at(-1)?.to).toBe(to ?? Infinity);
        for (const [index, part] of parts.slice(1).entries()) expect(part.from).toBe(parts[index]?.to);
        for (const { seconds, from: start, to: end } of ranges) {
          for (const bound of [start, end])
            expect(Math.abs(bound) === Infinity || bound % (seconds * 1000) === 0).toBe(true);
        }
        expect(ranges.length).toBeLessThanOrEqual(2 * USAGE_LEVELS.length - 1);
        expect(edges.length).toBeLessThanOrEqual(2);
        for (const edge of edges) expect(edge.to - edge.from).toBeLessThan(2 * HOUR_MS);
      }),
    );
  });

  it('consists of one range if the period has no bounds', () => {
    const [, , largest] = USAGE_LEVELS;
    expect(coverPeriod({}, USAGE_LEVELS)).toEqual({
      ranges: [{ seconds: largest, from: -Infinity, to: Infinity }],
      edges: [],
    });
  });
});
