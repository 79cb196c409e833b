import { EnvVar } from './env-var.js';
import { integer } from './parsers.js';

const days = integer({ min: 0, max: 3650 });

/** Retention of rows that have ended or are no longer used. Decisions: see `PolicyConfig`. */
export class RetentionConfig {
  @EnvVar('EXECUTION_RETENTION_DAYS', days, {
    default: 90,
    doc: 'Retention of executions after their end in days, with their sessions, messages and records. 0 keeps them forever.',
  })
  readonly executionDays!: number;

  @EnvVar('WORKER_RETENTION_DAYS', days, {
    default: 1,
    doc: 'Retention of workers that are disconnected or send no heartbeat, in days. 0 keeps them forever.',
  })
  readonly workerDays!: number;

  @EnvVar('REVOKED_KEY_RETENTION_DAYS', days, {
    default: 365,
    doc: 'Retention of revoked API keys in days. 0 keeps them forever.',
  })
  readonly revokedKeyDays!: number;

  @EnvVar('DELIVERY_RETENTION_DAYS', days, {
    default: 14,
    doc: 'Retention of deliveries of events to subscriptions after their last attempt, in days. 0 keeps them forever.',
  })
  readonly deliveryDays!: number;

  @EnvVar('TRACE_RETENTION_DAYS', days, {
    default: 30,
    doc: 'Retention of traces after their first span was received, in days. 0 keeps them forever.',
  })
  readonly traceDays!: number;
}

/** Returns the time before which rows are deleted; undefined if they are kept forever. */
export function retentionLimit(now: Date, days: number): Date | undefined {
  return days === 0 ? undefined : new Date(now.getTime() - days * 86_400_000);
}
