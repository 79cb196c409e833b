import { invalid } from '@app/kernel';
import { SERIES_LEVELS } from './aggregation.sql.js';
import type { Period, SeriesBucket } from './analytics.types.js';
import { Histogram, type Counts } from './histogram.js';

/** The sizes of buckets that a request may choose, in seconds. */
export const BUCKET_SECONDS = [60, 300, 900, 3600, 21_600, 86_400] as const;

const DAY_SECONDS = 86_400;
const MAX_BUCKETS = 400;
/** Times after this one have no RFC 3339 form. */
const LAST_TIME = new Date('9999-12-31T23:59:59.999Z');

/** Retention of the buckets of the aggregates in days, by their size in seconds. Other sizes are kept forever. */
export const KEPT_DAYS: Readonly<Record<number, number>> = { 60: 14, 900: 100 };

/** A row of the aggregates, or a sum of executions that are not in the aggregates yet. */
export interface SeriesRow {
  readonly start: Date;
  readonly started: string;
  readonly completed: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly terminated: string;
  readonly wait: Counts;
  readonly run: Counts;
}

export interface SeriesPlan extends Period {
  readonly bucketSeconds: number;
  /** The size of the buckets to read. */
  readonly level: number;
}

/**
 * Plans the buckets of a period: the smallest size that is still kept and has at most 400 buckets, unless the request
 * names a size. The period is extended to whole buckets. Throws `invalid` if there are more than 400, or if the
 * retention of the aggregates is too short.
 */
export function planSeries(period: Period, requested: number | undefined, now: Date): SeriesPlan {
  if (requested !== undefined && !(BUCKET_SECONDS as readonly number[]).includes(requested)) {
    throw fault(`Input should be one of ${BUCKET_SECONDS.join(', ')}`);
  }
  const bucketSeconds =
    requested ??
    BUCKET_SECONDS.find((seconds) => countOf(period, seconds) <= MAX_BUCKETS && isKept(period, seconds, now)) ??
    DAY_SECONDS;
  if (countOf(period, bucketSeconds) > MAX_BUCKETS) {
    throw fault(
      `The period has ${countOf(period, bucketSeconds)} buckets of this size; at most ${MAX_BUCKETS} are allowed`,
    );
  }
  if (!isKept(period, bucketSeconds, now)) {
    throw fault(`Buckets of this size are kept for ${KEPT_DAYS[levelOf(bucketSeconds)]} days`);
  }
  const whole = extended(period, bucketSeconds);
  if (whole.to > LAST_TIME) throw fault('The last bucket should end before the year 10000', 'to');
  return { ...whole, bucketSeconds, level: levelOf(bucketSeconds) };
}

/** Returns all buckets of the plan, also empty ones, in order and with the sums of the rows. */
export function fillSeries({ from, to, bucketSeconds }: SeriesPlan, rows: readonly SeriesRow[]): SeriesBucket[] {
  const rowsByStart = new Map<number, SeriesRow[]>();
  for (const row of rows) {
    const sameStart = rowsByStart.get(row.start.getTime());
    if (sameStart === undefined) rowsByStart.set(row.start.getTime(), [row]);
    else sameStart.push(row);
  }
  const buckets: SeriesBucket[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += bucketSeconds * 1000) {
    buckets.push(toBucket(new Date(at), rowsByStart.get(at) ?? []));
  }
  return buckets;
}

function toBucket(at: Date, rows: readonly SeriesRow[]): SeriesBucket {
  const sum = (count: (row: SeriesRow) => string): number => rows.reduce((total, row) => total + Number(count(row)), 0);
  const [wait, run] = [new Histogram(), new Histogram()];
  for (const row of rows) {
    wait.add(row.wait);
    run.add(row.run);
  }
  return {
    at,
    started: sum((row) => row.started),
    completed: sum((row) => row.completed),
    failed: sum((row) => row.failed),
    cancelled: sum((row) => row.cancelled),
    terminated: sum((row) => row.terminated),
    wait_p95_ms: wait.percentile(95),
    run_p50_ms: run.percentile(50),
    run_p95_ms: run.percentile(95),
  };
}

/** Returns the largest bucket size of the aggregates of which buckets of this size consist. */
function levelOf(bucketSeconds: number): number {
  return Math.max(...SERIES_LEVELS.filter((level) => bucketSeconds % level === 0));
}

function isKept({ from }: Period, bucketSeconds: number, now: Date): boolean {
  const days = KEPT_DAYS[levelOf(bucketSeconds)];
  return days === undefined || from.getTime() >= now.getTime() - days * 86_400_000;
}

function extended({ from, to }: Period, bucketSeconds: number): Period {
  const size = bucketSeconds * 1000;
  return {
    from: new Date(Math.floor(from.getTime() / size) * size),
    to: new Date(Math.ceil(to.getTime() / size) * size),
  };
}

function countOf(period: Period, bucketSeconds: number): number {
  const { from, to } = extended(period, bucketSeconds);
  return (to.getTime() - from.getTime()) / (bucketSeconds * 1000);
}

function fault(msg: string, field = 'bucket_seconds'): Error {
  return invalid([{ path: [field], msg, type: 'value_error' }]);
}
