import type { Series } from './overview.queries';

type Bucket = Series['buckets'][number];

const COUNTS = ['started', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** Whether something began or ended between two readings. That the period has moved is no news. */
export function isNews(before: Series | undefined, after: Series): boolean {
  const known = new Map(before?.buckets.map((bucket) => [bucket.at, bucket]));
  return after.buckets.some((bucket) => COUNTS.some((count) => bucket[count] !== countOf(known.get(bucket.at), count)));
}

function countOf(bucket: Bucket | undefined, count: (typeof COUNTS)[number]): number {
  return bucket?.[count] ?? 0;
}
