import { failureCause } from '../executions/failure-cause.js';
import { isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import { DEFAULT_TIMEOUT_MS } from '../executions/run-limits.js';
import { PLATFORM, type Actor } from '../executions/transition.types.js';
import { awaitsRetry, isNextAttempt, isRetried, retryAt } from './attempts.js';
import {
  causeOfFailure,
  columnsOf,
  contentOf,
  ENDED_ATTEMPT,
  ENDED_LEASE,
  endedColumns,
  notBefore,
  openColumns,
  renewedLease,
  reportedColumns,
  stoppedClock,
} from './columns.js';
import { EFFECTS, phaseOf } from './phases.js';
import {
  type AbandonCommand,
  type Change,
  type Command,
  type Decision,
  type FollowingMessage,
  type LifecycleRow,
  type ReleaseCommand,
  type ReportCommand,
  type ReportedFields,
  type Refusal,
  type Sender,
  type SentCommand,
  type StatusCommand,
  type StatusCommandName,
  type SuspendCommand,
  type TakeTurnCommand,
  type Times,
  type WakeCommand,
} from './lifecycle.types.js';

/** The same wording as in the reference worker, so that both failures have the same cause. */
const TIMED_OUT = 'The execution did not finish within';

const STATUS_OF: Readonly<Record<StatusCommandName, ExecutionStatus>> = {
  run: 'running',
  resume: 'running',
  reset: 'pending',
  await_input: 'waiting_for_input',
  pause: 'paused',
  complete: 'completed',
  fail: 'failed',
  cancel: 'cancelled',
  terminate: 'terminated',
};

/** Returns the status to which a command leads if it is not refused and nothing else follows. */
export function statusOf(command: SentCommand): ExecutionStatus | undefined {
  if (command.name === 'report') return undefined;
  if (command.name === 'suspend') return 'waiting_for_input';
  return command.name === 'wake' ? 'pending' : STATUS_OF[command.name];
}

/** Returns the command that reports a status. */
export function commandFor(status: ExecutionStatus): StatusCommandName {
  const names: Readonly<Record<ExecutionStatus, StatusCommandName>> = {
    pending: 'reset',
    running: 'run',
    waiting_for_input: 'await_input',
    paused: 'pause',
    completed: 'complete',
    failed: 'fail',
    cancelled: 'cancel',
    terminated: 'terminate',
  };
  return names[status];
}

/**
 * Decides what a command does to an execution. Pure and total: the whole life of an execution is this function over
 * `EFFECTS`. It answers in the order in which a sender can mend what is wrong: its job, its lease, the status.
 */
export function decide(row: LifecycleRow, command: Command, times: Times): Decision {
  if ('by' in command) {
    if (command.by.jobId !== undefined && command.by.jobId !== row.job_id) return refusal(row, 'other_job');
    if (command.by.token !== null && command.by.token !== row.lease_token) return refusal(row, 'lease_lost');
  }
  const effect = EFFECTS[phaseOf(row)][command.name];
  if (effect === undefined || lacksLease(row, command)) return refusal(row, 'transition');
  switch (command.name) {
    case 'report':
      return report(row, command, times);
    case 'suspend':
      return park(row, command, times);
    case 'wake':
    case 'take_turn':
      return queue(row, command, times);
    case 'release':
      return release(row, command, times);
    case 'time_out':
      return timeOut(row, times);
    case 'abandon':
      return abandon(row, command, times);
    default:
      if (effect === 'queue') return queue(row, command, times);
      return effect === 'fail' ? fail(row, command, times) : become(row, command, times);
  }
}

/** Whether the command ends a lease that does not exist. */
function lacksLease(row: LifecycleRow, { name }: Command): boolean {
  return row.lease_expires_at === null && (name === 'suspend' || name === 'release' || name === 'time_out');
}

function refusal({ status: from }: LifecycleRow, why: Refusal['why']): Refusal {
  return { outcome: 'refused', why, from };
}

/** Writes fields and renews the lease of their sender. */
function report(row: LifecycleRow, { by, fields }: ReportCommand, times: Times): Change {
  const columns = { ...reportedColumns(row, fields, times), ...renewedLease(row, by, times) };
  return { ...unchanged(row), columns, content: contentOf(fields) };
}

function become(row: LifecycleRow, command: StatusCommand, times: Times): Change {
  const { by, fields } = command;
  const to = STATUS_OF[command.name];
  const isSame = row.status === to;
  const columns = {
    ...reportedColumns(row, fields, times, isSame),
    status: to,
    ...(isFinal(to) ? endedColumns(row, by, fields, times) : openColumns(row, to, by, fields, times)),
    ...(to === 'failed' ? causeOfFailure(row, fields) : {}),
  };
  const isBegunAgain = to === 'running' && fields.error_message === undefined && isNextAttempt(row);
  return {
    ...unchanged(row),
    columns: isBegunAgain ? { ...columns, cause: null } : columns,
    content: isBegunAgain ? { ...contentOf(fields), error_message: null } : contentOf(fields),
    ...(isSame
      ? {}
      : {
          note: { lease: null, queuedAt: null, actor: actorOf(row, by), reason: to === 'failed' ? MESSAGE : null },
          ...(isFinal(to) ? { message: finishedMessage(row, by) } : {}),
        }),
  };
}

/** A failure is final, or another attempt follows it. */
function fail(row: LifecycleRow, command: StatusCommand, times: Times): Decision {
  const { by, fields, withoutRetry = false } = command;
  if (withoutRetry) return become(row, command, times);
  const isLate = row.timeout_at !== null && row.timeout_at <= times.at;
  const cause = fields.failure_reason ?? (isLate ? 'timeout' : 'failed');
  if (isRetried(row, cause)) return retry(row, by, fields, times);
  return by.token === null && awaitsRetry(row) ? { outcome: 'repeated' } : become(row, command, times);
}

/** Queues the next attempt. The fields that describe an end do not apply. */
function retry(row: LifecycleRow, by: Sender, fields: ReportedFields, { now, at }: Times): Change {
  const { completed_at: _end, duration_ms: _duration, ...reported } = fields;
  const attempt = row.attempt + 1;
  const dueAt = retryAt(row, now);
  return {
    ...unchanged(row),
    columns: {
      ...reportedColumns(row, reported, { now, at }),
      ...ENDED_ATTEMPT,
      status: 'pending',
      attempt,
      queued_at: dueAt,
    },
    content: contentOf(reported),
    keepsUsage: true,
    note: { lease: null, queuedAt: dueAt, actor: actorOf(row, by), reason: MESSAGE },
    ...queuedMessage(row, attempt, dueAt),
    retryAt: dueAt,
  };
}

/** Puts an execution that is parked or held into its queue, with its current attempt. */
function queue(row: LifecycleRow, command: StatusCommand | WakeCommand | TakeTurnCommand, times: Times): Change {
  const { now } = times;
  const fields = 'fields' in command ? command.fields : {};
  return {
    ...unchanged(row),
    columns: { ...reportedColumns(row, fields, times), status: 'pending', queued_at: now },
    content: contentOf(fields),
    note: { lease: null, queuedAt: now, actor: 'by' in command ? actorOf(row, command.by) : PLATFORM, reason: null },
    ...queuedMessage(row, row.attempt, now),
  };
}

/** Ends the lease of a run that waits for input. Nobody delivers it until input arrives. */
function park(row: LifecycleRow, { by, fields }: SuspendCommand, times: Times): Decision {
  if (row.worker_queue_id === null) return refusal(row, 'transition');
  const columns = {
    ...reportedColumns(row, fields, times, row.status === 'waiting_for_input'),
    status: 'waiting_for_input' as const,
    queued_at: null,
    ...stoppedClock(row, times),
    ...ENDED_LEASE,
  };
  const note = { lease: 'handed_back', queuedAt: null, actor: actorOf(row, by), reason: null } as const;
  return { ...unchanged(row), columns, content: contentOf(fields), note };
}

/**
 * The next attempt follows if the release costs one, otherwise the same attempt is delivered again. The execution fails
 * if no attempt is left or the policy does not repeat lost ones. A paused execution is delivered when it is resumed.
 */
function release(row: LifecycleRow, command: ReleaseCommand, { now }: Times): Change {
  const { cost, reason, lease, byWorker = false } = command;
  const isSpent = cost === 1 && (row.attempt >= row.max_attempts || !row.retry_on.includes('lost'));
  const message = `${reason} (attempt ${row.attempt} of ${row.max_attempts})`;
  const status = isSpent ? 'failed' : row.status === 'paused' ? 'paused' : 'pending';
  const attempt = isSpent ? row.attempt : row.attempt + cost;
  const queuedAt = status === 'pending' ? now : null;
  const actor: Actor = byWorker ? { kind: 'worker', id: row.lease_worker_id, name: row.runner_name } : PLATFORM;
  return {
    ...unchanged(row),
    columns: {
      ...columnsOf(row),
      ...ENDED_ATTEMPT,
      status,
      attempt,
      cause: isSpent ? failureCause(message) : row.cause,
      completed_at: isSpent ? now : null,
      queued_at: queuedAt,
      updated_at: now,
    },
    content: isSpent ? { error_message: message } : {},
    keepsUsage: true,
    note: { lease, queuedAt, actor, reason },
    ...(isSpent ? { message: { topic: 'finished', from: row.status } } : {}),
    ...(queuedAt === null ? {} : queuedMessage(row, attempt, queuedAt)),
  };
}

/**
 * Ends an attempt that its worker has not ended. The worker of a failed execution receives the command to cancel the
 * run. The worker of a retried one receives none, because a command names the execution and not the attempt: its run
 * ends at its own time limit or with its next write, which is rejected.
 */
function timeOut(row: LifecycleRow, times: Times): Change {
  const { now, at } = times;
  const seconds = (row.timeout_ms ?? DEFAULT_TIMEOUT_MS) / 1000;
  const message = `${TIMED_OUT} ${seconds} s`;
  const failure = { ...columnsOf(row), cause: failureCause(message), updated_at: now };
  const content = { error_message: message };
  if (!isRetried(row, 'timeout')) {
    return {
      ...unchanged(row),
      columns: {
        ...failure,
        status: 'failed',
        completed_at: notBefore(now, row.started_at),
        queued_at: null,
        lease_token: null,
        lease_expires_at: null,
        command: 'cancel',
        command_at: at,
      },
      content,
      note: { lease: null, queuedAt: null, actor: PLATFORM, reason: message },
      message: { topic: 'finished', from: row.status },
    };
  }
  const attempt = row.attempt + 1;
  const dueAt = retryAt(row, now);
  return {
    ...unchanged(row),
    columns: { ...failure, ...ENDED_ATTEMPT, status: 'pending', attempt, queued_at: dueAt },
    content,
    keepsUsage: true,
    note: { lease: null, queuedAt: dueAt, actor: PLATFORM, reason: message },
    ...queuedMessage(row, attempt, dueAt),
  };
}

function abandon(row: LifecycleRow, { reason }: AbandonCommand, { now }: Times): Change {
  return {
    ...unchanged(row),
    columns: {
      ...columnsOf(row),
      status: 'failed',
      cause: failureCause(reason),
      queued_at: null,
      updated_at: now,
      completed_at: notBefore(now, row.started_at),
    },
    content: { error_message: reason },
    note: { lease: null, queuedAt: null, actor: PLATFORM, reason },
    message: { topic: 'finished', from: row.status },
  };
}

const MESSAGE = { isMessage: true } as const;

function unchanged(row: LifecycleRow): Pick<Change, 'outcome' | 'from' | 'keepsUsage'> {
  return { outcome: 'changed', from: row.status, keepsUsage: false };
}

function actorOf(row: LifecycleRow, { actor }: Sender): Actor {
  return actor ?? { kind: 'worker', id: row.lease_worker_id, name: row.runner_name };
}

function queuedMessage(
  { worker_queue_id: queueId }: LifecycleRow,
  attempt: number,
  dueAt: Date,
): { readonly message?: FollowingMessage } {
  return queueId === null ? {} : { message: { topic: 'queued', queueId, attempt, dueAt } };
}

function finishedMessage(
  { status: from, worker_queue_id: queueId, attempt }: LifecycleRow,
  by: Sender,
): FollowingMessage {
  // Without a lease, the queue may still contain a delivery.
  const isQueued = by.token === null && queueId !== null;
  return { topic: 'finished', from, ...(isQueued ? { delivery: { queueId, attempt } } : {}) };
}
