import type { AttemptResult } from './webhook-delivery.types.js';

/** Statuses whose `Retry-After` is respected. */
const THROTTLED: readonly (number | null)[] = [429, 503];
/** A retry is delayed by up to this part of its delay, so that retries of the same moment do not arrive together. */
const JITTER = 0.2;
const MAX_JITTER_MS = 600_000;

interface Schedule {
  /** Seconds. */
  readonly delay: number;
  /** Seconds: a `Retry-After` beyond it is ignored. */
  readonly longest: number;
}

/**
 * Returns the milliseconds until the next attempt: the delay of the schedule or the `Retry-After` of the response,
 * whichever is longer, and a random part. `random`: 0 to 1.
 */
export function retryDelayMs(schedule: Schedule, result: AttemptResult, now: Date, random: number): number {
  const { response_status, response_headers } = result;
  const asked = THROTTLED.includes(response_status) ? retryAfterMs(response_headers?.['retry-after'], now) : 0;
  const delay = Math.max(schedule.delay * 1000, Math.min(asked, schedule.longest * 1000));
  return delay + Math.round(random * Math.min(JITTER * delay, MAX_JITTER_MS));
}

/** Returns the value of `Retry-After` (RFC 9110: seconds or an HTTP date) in milliseconds; 0 if it is none. */
function retryAfterMs(value: unknown, now: Date): number {
  if (typeof value !== 'string') return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = value.endsWith(' GMT') ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}
