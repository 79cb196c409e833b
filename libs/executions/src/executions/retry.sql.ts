import { DATABASE_NOW } from '@app/database';
import { after } from './lease-time.sql.js';
import { DEFAULT_TIMEOUT_MS, MAX_DELAY_MS } from './run-limits.js';

/** Condition: the execution waits for the attempt after a failure that its worker reported. */
export const AWAITS_RETRY = `(status = 'pending' AND lease_expires_at IS NULL AND attempt > 1
  AND retry_on && '{failed,timeout}'::text[])`;

/**
 * Returns a condition: the attempt has begun, and another one follows if it ends for `cause` (an SQL expression). An
 * attempt without a lease has begun if a client has set the execution to `running`.
 */
export function isRetried(cause: string): string {
  return `(attempt < max_attempts AND ${cause} = ANY(retry_on) AND worker_queue_id IS NOT NULL
    AND (lease_expires_at IS NOT NULL OR status IN ('running', 'waiting_for_input')))`;
}

/** The cause of a reported failure, for reports without one: `timeout` after the time limit, otherwise `failed`. */
export const REPORTED_CAUSE = `CASE WHEN timeout_at <= ${DATABASE_NOW} THEN 'timeout' ELSE 'failed' END`;

/** Returns an expression for the time of the next attempt of `e`, after its failure at `time`. */
export function retryAt(time: string): string {
  const delay = `least(e.retry_delay_ms * power(e.retry_factor, e.attempt - 1), ${MAX_DELAY_MS})`;
  return `${time} + ${delay} * interval '1 millisecond'`;
}

/** Ends a lease. */
export const ENDED_LEASE = [
  'lease_token = NULL',
  'lease_worker_id = NULL',
  'lease_expires_at = NULL',
  'command = NULL',
  'command_at = NULL',
];

/** Values of `earlier_usage` that are added to those of a report. */
export const ADDED_USAGE = ['input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const;

/** Returns `earlier_usage` after an attempt, from columns that include the usage of the attempts before it. */
export function earlierUsage(valueOf: (column: 'usage' | (typeof ADDED_USAGE)[number]) => string): string {
  const fields = (['usage', ...ADDED_USAGE] as const).map((column) => `'${column}', ${valueOf(column)}`);
  return `json_build_object(${fields.join(', ')})`;
}

/** Keeps the usage that an ended attempt has reported so far: the next attempt reports only its own. */
export const KEPT_USAGE = `earlier_usage = CASE WHEN e.usage::text = '{}' THEN e.earlier_usage
  ELSE ${earlierUsage((column) => `e.${column}`)} END`;

/** Ends the lease of an attempt after which another one may follow. */
export const ENDED_ATTEMPT = [...ENDED_LEASE, 'timeout_at = NULL', 'timeout_left_ms = NULL'];

/** Starts or continues the time limit of an attempt. */
export const RUNNING_CLOCK = [
  `timeout_at = coalesce(e.timeout_at,
    ${after(`coalesce(e.timeout_left_ms, e.timeout_ms, ${DEFAULT_TIMEOUT_MS})`)})`,
  'timeout_left_ms = NULL',
];

/** Suspends the time limit of an attempt, and stores its remaining time. */
export const STOPPED_CLOCK = [
  `timeout_left_ms = CASE WHEN e.timeout_at IS NULL THEN e.timeout_left_ms
    ELSE greatest(0, 1000 * extract(epoch FROM e.timeout_at - ${DATABASE_NOW})) END`,
  'timeout_at = NULL',
];
