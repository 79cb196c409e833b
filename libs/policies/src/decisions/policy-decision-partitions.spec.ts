import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retentionStart, weekOf, weekOfTable, weeksFrom } from './policy-decision-partitions.js';

const at = (text: string): Date => new Date(text);
const moments = fc.date({ min: at('1971-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z'), noInvalidDate: true });

describe('the weeks of the decision log', () => {
  it('begin on Monday, and the table name contains the date of this Monday', () => {
    const week = {
      table: 'policy_decisions_20251229',
      from: at('2025-12-29T00:00:00Z'),
      to: at('2026-01-05T00:00:00Z'),
    };
    expect(weekOf(at('2025-12-29T00:00:00Z'))).toEqual(week);
    expect(weekOf(at('2026-01-04T23:59:59.999Z'))).toEqual(week);
    expect(weekOf(at('2026-01-05T00:00:00Z')).table).toBe('policy_decisions_20260105');
  });

  it('contain every moment exactly once, and can be parsed from the table name', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const week = weekOf(moment);
        expect(week.from.getUTCDay()).toBe(1);
        expect(week.from <= moment && moment < week.to).toBe(true);
        expect(weekOf(week.to).from).toEqual(week.to);
        expect(weekOfTable(week.table)).toEqual(week);
      }),
    );
  });

  it('follow each other without a gap', () => {
    const weeks = weeksFrom(at('2026-01-01T00:00:00Z'), 2);
    expect(weeks.map(({ table }) => table.slice(-8))).toEqual(['20251229', '20260105', '20260112']);
    expect(weeks.map(({ from }) => from).slice(1)).toEqual(weeks.map(({ to }) => to).slice(0, -1));
  });

  it.each(['policy_decisions_default', 'policy_decisions_20261399', 'policy_decisions_2026', 'others_20260105'])(
    'are not parsed from %s',
    (table) => {
      expect(weekOfTable(table)).toBeUndefined();
    },
  );
});

describe('the retained period of the decision log', () => {
  it('is at least the configured days and at most a week more', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 300 }), (now, days) => {
        const older = now.getTime() - days * 86_400_000 - retentionStart(now, days).getTime();
        expect(older).toBeGreaterThanOrEqual(0);
        expect(older).toBeLessThan(7 * 86_400_000);
      }),
    );
  });
});
