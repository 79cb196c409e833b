/**
 * The growth from one bucket to the next: bucket `n` contains durations from `GROWTH ^ (n - 1)` ms to just below
 * `GROWTH ^ n` ms.
 */
export const GROWTH = 1.04;

/**
 * Counts by bucket, as in a column of the aggregates. A count of a single row can be negative; sums over all rows are
 * not.
 */
export type Counts = Readonly<Record<string, number>>;

/** A distribution of durations, summed from the counts of several rows. */
export class Histogram {
  private readonly counts = new Map<number, number>();

  add(counts: Counts): void {
    for (const [bucket, count] of Object.entries(counts)) {
      this.counts.set(Number(bucket), (this.counts.get(Number(bucket)) ?? 0) + count);
    }
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Returns the nearest-rank percentile in whole milliseconds; null without values. It deviates from the exact one by
   * at most 2 % or 1 ms.
   */
  percentile(percent: number): number | null {
    const rank = Math.ceil((percent / 100) * this.count);
    let seen = 0;
    for (const [bucket, count] of [...this.counts].sort(([a], [b]) => a - b)) {
      seen += count;
      if (count > 0 && seen >= rank) return Math.round(durationOf(bucket));
    }
    return null;
  }
}

/**
 * Returns the duration that represents a bucket. Its relative error is below 2 %; in bucket 0, its error is at most 1
 * ms.
 */
function durationOf(bucket: number): number {
  return bucket === 0 ? 0 : (2 * GROWTH ** bucket) / (GROWTH + 1);
}
