import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partitionNamed, partitionOf, partitionsFrom, retentionStart } from './time-partition.js';

const at = (text: string): Date => new Date(text);
const moments = fc.date({ min: at('1971-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z'), noInvalidDate: true });
const decisions = { table: 'decisions', column: 'at', period: 'week' } as const;
const spans = { table: 'spans', column: 'day', period: 'day' } as const;

describe('a weekly partition', () => {
  it('begins on Monday, and its name contains the date of this Monday', () => {
    const week = { name: 'decisions_20251229', from: at('2025-12-29T00:00:00Z'), to: at('2026-01-05T00:00:00Z') };
    expect(partitionOf(decisions, at('2025-12-29T00:00:00Z'))).toEqual(week);
    expect(partitionOf(decisions, at('2026-01-04T23:59:59.999Z'))).toEqual(week);
    expect(partitionOf(decisions, at('2026-01-05T00:00:00Z')).name).toBe('decisions_20260105');
  });
});

describe('a daily partition', () => {
  it('begins at midnight UTC', () => {
    const day = { name: 'spans_20260105', from: at('2026-01-05T00:00:00Z'), to: at('2026-01-06T00:00:00Z') };
    expect(partitionOf(spans, at('2026-01-05T00:00:00Z'))).toEqual(day);
    expect(partitionOf(spans, at('2026-01-05T23:59:59.999Z'))).toEqual(day);
  });
});

describe.each([decisions, spans])('the partitions of a $period', (table) => {
  it('contain every moment exactly once, and can be parsed from their names', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const partition = partitionOf(table, moment);
        expect(partition.from <= moment && moment < partition.to).toBe(true);
        expect(partitionOf(table, partition.to).from).toEqual(partition.to);
        expect(partitionNamed(table, partition.name)).toEqual(partition);
      }),
    );
  });

  it('follow each other without a gap', () => {
    const partitions = partitionsFrom(table, at('2026-01-01T00:00:00Z'), 2);
    expect(partitions).toHaveLength(3);
    expect(partitions.map(({ from }) => from).slice(1)).toEqual(partitions.map(({ to }) => to).slice(0, -1));
  });

  it('are retained for at least the configured days, and at most one partition more', () => {
    const { from, to } = partitionOf(table, at('2026-01-05T00:00:00Z'));
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 300 }), (now, days) => {
        const older = now.getTime() - days * 86_400_000 - retentionStart(table, now, days).getTime();
        expect(older).toBeGreaterThanOrEqual(0);
        expect(older).toBeLessThan(to.getTime() - from.getTime());
      }),
    );
  });

  it.each(['default', '20261399', '2026'])('are not parsed from a name with %s', (suffix) => {
    expect(partitionNamed(table, `${table.table}_${suffix}`)).toBeUndefined();
  });

  it('are not parsed from the name of a partition of another table', () => {
    expect(partitionNamed(table, 'others_20260105')).toBeUndefined();
  });
});
