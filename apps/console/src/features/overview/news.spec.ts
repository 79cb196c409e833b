import { describe, expect, it } from '@jest/globals';
import { isNews } from './news';
import type { Series } from './overview.queries';

const BUCKET = { started: 0, completed: 0, failed: 0, cancelled: 0, terminated: 0 };
const NO_TIMES = { run_p50_ms: null, run_p95_ms: null, wait_p95_ms: null };

/** A series with a bucket per hour and its number of failures. */
const series = (failed: Readonly<Record<string, number>>): Series => ({
  from: '2026-11-27T00:00:00.000Z',
  to: '2026-11-28T00:00:00.000Z',
  bucket_seconds: 3600,
  buckets: Object.entries(failed).map(([hour, count]) => ({
    ...BUCKET,
    ...NO_TIMES,
    at: `2026-11-27T${hour}:00:00.000Z`,
    failed: count,
  })),
});

describe('news of the overview', () => {
  it('is a count that has changed', () => {
    expect(isNews(series({ '01': 1, '02': 0 }), series({ '01': 1, '02': 0 }))).toBe(false);
    expect(isNews(series({ '01': 1, '02': 0 }), series({ '01': 1, '02': 1 }))).toBe(true);
  });

  it('is not that the period has moved', () => {
    expect(isNews(series({ '01': 3, '02': 1 }), series({ '02': 1, '03': 0 }))).toBe(false);
    expect(isNews(series({ '01': 3, '02': 1 }), series({ '02': 1, '03': 1 }))).toBe(true);
    expect(isNews(series({ '01': 0, '02': 1 }), series({ '02': 2, '03': 0 }))).toBe(true);
  });

  it('is everything that a first reading shows', () => {
    expect(isNews(undefined, series({ '01': 0 }))).toBe(false);
    expect(isNews(undefined, series({ '01': 1 }))).toBe(true);
  });
});
