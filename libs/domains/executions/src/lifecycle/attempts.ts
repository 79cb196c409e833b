import { MAX_DELAY_MS, type RetryCause } from '../executions/run-limits.js';
import type { LifecycleRow } from './lifecycle.types.js';

export function isNextAttempt(row: LifecycleRow): boolean {
  return row.status === 'pending' && row.attempt > 1;
}

/**
 * Whether the attempt has begun and another one follows if it ends for this cause. An attempt without a lease has begun
 * if a client has set the execution to `running`.
 */
export function isRetried(row: LifecycleRow, cause: RetryCause): boolean {
  const isUnderWay = row.lease_expires_at !== null || row.status === 'running' || row.status === 'waiting_for_input';
  const isAllowed = row.attempt < row.max_attempts && row.retry_on.includes(cause);
  return isAllowed && row.worker_queue_id !== null && isUnderWay;
}

/** Whether the execution waits for the attempt after a failure that its worker reported. */
export function awaitsRetry(row: LifecycleRow): boolean {
  const isWaiting = row.status === 'pending' && row.lease_expires_at === null && row.attempt > 1;
  return isWaiting && (row.retry_on.includes('failed') || row.retry_on.includes('timeout'));
}

/** Returns the time of the next attempt after a failure. */
export function retryAt(row: LifecycleRow, now: Date): Date {
  return later(now, Math.min(row.retry_delay_ms * row.retry_factor ** (row.attempt - 1), MAX_DELAY_MS));
}

export function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds);
}
