import { failureCause } from '../executions/failure-cause.js';
import { isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import { DEFAULT_TIMEOUT_MS } from '../executions/run-limits.js';
import { later } from './attempts.js';
import {
  LIFECYCLE_COLUMNS,
  type LifecycleColumns,
  type LifecycleRow,
  type ReportedFields,
  type Sender,
  type Times,
  type WrittenContent,
} from './lifecycle.types.js';

/** A write renews the lease only after a quarter of it has passed, because each renewal writes an index entry. */
const RENEWED_BELOW = 0.75;

/** Ends a lease. */
export const ENDED_LEASE = {
  lease_token: null,
  lease_worker_id: null,
  lease_expires_at: null,
  command: null,
  command_at: null,
} as const;

/** Ends the lease of an attempt after which another one may follow. */
export const ENDED_ATTEMPT = { ...ENDED_LEASE, timeout_at: null, timeout_left_ms: null } as const;

export function columnsOf(row: LifecycleRow): LifecycleColumns {
  return Object.fromEntries(LIFECYCLE_COLUMNS.map((column) => [column, row[column]])) as unknown as LifecycleColumns;
}

/** `isRepeated`: the sender reports the current status. Without any field, this changes nothing that readers see. */
export function reportedColumns(
  row: LifecycleRow,
  fields: ReportedFields,
  { now }: Times,
  isRepeated = false,
): LifecycleColumns {
  const { started_at, completed_at, error_message, failure_reason: _reason, ...others } = fields;
  const hasFields = [started_at, completed_at, error_message, ...Object.values(others)].some(
    (value) => value !== undefined,
  );
  return {
    ...columnsOf(row),
    ...(started_at === undefined ? {} : { started_at }),
    ...(completed_at === undefined ? {} : { completed_at }),
    ...(error_message === undefined ? {} : { cause: error_message === null ? null : failureCause(error_message) }),
    updated_at: isRepeated && !hasFields ? row.updated_at : now,
  };
}

/** Keeps the cause of the message of an earlier write, if there is one. */
export function causeOfFailure(
  row: LifecycleRow,
  { error_message: message }: ReportedFields,
): Pick<LifecycleColumns, 'cause'> {
  if (message !== undefined) return { cause: failureCause(message) };
  return { cause: row.cause ?? failureCause(null) };
}

export function contentOf(fields: ReportedFields): WrittenContent {
  const { response, error_message, execution_metadata, duration_ms, usage } = fields;
  const { model = null, input_tokens = null, output_tokens = null, total_tokens = null, cost_nanos = null } = fields;
  return {
    ...(response === undefined ? {} : { response }),
    ...(error_message === undefined ? {} : { error_message }),
    ...(execution_metadata === undefined ? {} : { execution_metadata }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(usage === undefined
      ? {}
      : { usage, usageColumns: { model, input_tokens, output_tokens, total_tokens, cost_nanos } }),
  };
}

/**
 * If the holder ends the execution, its token stays valid for late usage and metadata. Any other sender removes the
 * token; the holder then receives the command to cancel its run.
 */
export function endedColumns(
  row: LifecycleRow,
  by: Sender,
  fields: ReportedFields,
  { now, at }: Times,
): Partial<LifecycleColumns> {
  const ended = { lease_expires_at: null };
  if (isFinal(row.status)) return ended;
  const isCommanded = needsCommand(row, by);
  return {
    ...ended,
    // The clocks of processes differ; this keeps completed_at from being before started_at.
    ...(fields.completed_at === undefined ? { completed_at: notBefore(now, row.started_at) } : {}),
    lease_token: by.token,
    lease_worker_id: isCommanded ? row.lease_worker_id : null,
    ...(isCommanded ? { command: 'cancel', command_at: at } : {}),
  };
}

export function openColumns(
  row: LifecycleRow,
  to: ExecutionStatus,
  by: Sender,
  fields: ReportedFields,
  times: Times,
): Partial<LifecycleColumns> {
  const isCommanded = needsCommand(row, by) && row.status !== to;
  const command = (name: 'pause' | 'resume'): Partial<LifecycleColumns> =>
    isCommanded ? { command: name, command_at: times.at } : {};
  const lease = renewedLease(row, by, times);
  if (to === 'running') {
    return {
      ...lease,
      ...(fields.started_at === undefined ? { started_at: row.started_at ?? times.now } : {}),
      ...runningClock(row, times),
      ...(row.status === 'paused' ? command('resume') : {}),
    };
  }
  if (to === 'pending') return lease;
  return { ...lease, ...stoppedClock(row, times), ...(to === 'paused' ? command('pause') : {}) };
}

export function renewedLease(row: LifecycleRow, { token }: Sender, { at }: Times): Partial<LifecycleColumns> {
  const { lease_expires_at: expiresAt, lease_ms: length } = row;
  if (token === null || expiresAt === null || length === null) return {};
  const isShort = expiresAt.getTime() < at.getTime() + RENEWED_BELOW * length;
  return isShort ? { lease_expires_at: later(at, length) } : {};
}

/** Starts or continues the time limit of an attempt. */
function runningClock(
  { timeout_at, timeout_left_ms, timeout_ms }: LifecycleRow,
  { at }: Times,
): Partial<LifecycleColumns> {
  const left = timeout_left_ms ?? timeout_ms ?? DEFAULT_TIMEOUT_MS;
  return { timeout_at: timeout_at ?? later(at, left), timeout_left_ms: null };
}

/** Suspends the time limit of an attempt, and keeps its remaining time. */
export function stoppedClock({ timeout_at, timeout_left_ms }: LifecycleRow, { at }: Times): Partial<LifecycleColumns> {
  const left = timeout_at === null ? timeout_left_ms : Math.max(0, timeout_at.getTime() - at.getTime());
  return { timeout_left_ms: left, timeout_at: null };
}

/** Whether a worker holds the lease and the sender is another client, so that the worker needs a command. */
function needsCommand(row: LifecycleRow, { token }: Sender): boolean {
  return token === null && row.lease_expires_at !== null;
}

export function notBefore(time: Date, other: Date | null): Date {
  return other !== null && other > time ? other : time;
}
