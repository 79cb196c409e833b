import { DATABASE_NOW } from '@app/database';
import { after } from './lease-time.sql.js';
import { DEFAULT_TIMEOUT_MS, MAX_DELAY_MS } from './run-limits.js';

/** Condition: the execution waits for the attempt after a failure that its worker reported. */
export const AWAITS_RETRY = `(status = 'pending' AND lease_expires_at IS NULL AND attempt > 1
  AND retry_on && '{failed,timeout}'::text[])`;

/**
 * Condition: an attempt under way that ends for `cause`, an SQL expression, is followed by another one. Without a lease,
 * only an execution that some client has set to `running` is under way.
 */
export function isRetried(cause: string): string {
  return `(attempt < max_attempts AND ${cause} = ANY(retry_on) AND worker_queue_id IS NOT NULL
    AND (lease_expires_at IS NOT NULL OR status IN ('running', 'waiting_for_input')))`;
}

/** Whether a reported failure is a time-out, for reports that do not say so. */
export const REPORTED_CAUSE = `CASE WHEN timeout_at <= ${DATABASE_NOW} THEN 'timeout' ELSE 'failed' END`;

/** The time of the next attempt of `e`, after its failure at `time`. */
export function retryAt(time: string): string {
  const delay = `least(e.retry_delay_ms * power(e.retry_factor, e.attempt - 1), ${MAX_DELAY_MS})`;
  return `${time} + ${delay} * interval '1 millisecond'`;
}

/** Ends a lease. */
export const ENDED_LEASE = [
  ...['lease_token = NULL', 'lease_worker_id = NULL', 'lease_expires_at = NULL'],
  ...['command = NULL', 'command_at = NULL'],
];

/** Ends the lease of an attempt that another one may follow. */
export const ENDED_ATTEMPT = [...ENDED_LEASE, 'timeout_at = NULL', 'timeout_left_ms = NULL'];

/** Starts the clock of an attempt, or continues it. */
export const RUNNING_CLOCK = [
  `timeout_at = coalesce(e.timeout_at,
    ${after(`coalesce(e.timeout_left_ms, e.timeout_ms, ${DEFAULT_TIMEOUT_MS})`)})`,
  'timeout_left_ms = NULL',
];

/** Stops the clock of an attempt, and keeps what is left of its time. */
export const STOPPED_CLOCK = [
  `timeout_left_ms = CASE WHEN e.timeout_at IS NULL THEN e.timeout_left_ms
    ELSE greatest(0, 1000 * extract(epoch FROM e.timeout_at - ${DATABASE_NOW})) END`,
  'timeout_at = NULL',
];
