import type { RequestedPeriod } from './analytics.types.js';

/** Whole buckets of one size, in milliseconds since the epoch; infinite where the period has no bound. */
export interface BucketRange {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
}

/** A period as disjoint parts. */
export interface PeriodCover {
  /** Adjacent, and as few as possible. */
  readonly ranges: readonly BucketRange[];
  /** The rest of the period: less than one of the smallest buckets at each end, or the whole period if it is short. */
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/**
 * Divides a period into buckets of the given sizes and its edges. The sizes are in seconds, each a multiple of the
 * previous one.
 */
export function coverPeriod({ from, to }: RequestedPeriod, levels: readonly number[]): PeriodCover {
  return cover(from?.getTime() ?? -Infinity, to?.getTime() ?? Infinity, levels);
}

function cover(from: number, to: number, levels: readonly number[]): PeriodCover {
  if (from >= to) return { ranges: [], edges: [] };
  const seconds = levels.at(-1);
  if (seconds === undefined) return { ranges: [], edges: [{ from, to }] };
  const finer = levels.slice(0, -1);
  const size = seconds * 1000;
  const range = { seconds, from: Math.ceil(from / size) * size, to: Math.floor(to / size) * size };
  if (range.from >= range.to) return cover(from, to, finer);
  const [before, after] = [cover(from, range.from, finer), cover(range.to, to, finer)];
  return { ranges: [...before.ranges, range, ...after.ranges], edges: [...before.edges, ...after.edges] };
}
