import type { RequestedPeriod } from './analytics.types.js';

/** Whole buckets of one size, in milliseconds since the epoch; infinite at an end without bound. */
export interface BucketRange {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
}

/** A period as disjoint parts. */
export interface PeriodCover {
  /** Adjacent, and as few as possible. */
  readonly ranges: readonly BucketRange[];
  /** What is left: less than one of the smallest buckets at each end, or the whole of a short period. */
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/** Covers a period by buckets of these sizes in seconds, each a multiple of the one before, and by its edges. */
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
