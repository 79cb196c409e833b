import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { insertCompletedOutboxRow } from '@app/dispatch';
import { failureCause } from './failure-cause.js';
import type { UsageColumns } from '../usage/usage-columns.js';
import type { Actor } from './transition.types.js';
import { noteTransitions } from './transition.sql.js';
import { countCte } from './execution-counts.sql.js';
import { EXECUTION } from './execution-columns.sql.js';
import { after } from './lease-time.sql.js';
import {
  ADDED_USAGE,
  AWAITS_RETRY,
  earlierUsage,
  ENDED_ATTEMPT,
  ENDED_LEASE,
  isRetried,
  KEPT_USAGE,
  REPORTED_CAUSE,
  retryAt,
  RUNNING_CLOCK,
  STOPPED_CLOCK,
} from './retry.sql.js';
import { isFinal, sourcesOf, type ExecutionStatus } from './execution-state.js';
import type { UpdateExecution } from './execution.types.js';

export interface PatchGuard {
  readonly organizationId: string;
  readonly id: string;
  /** Must be the current token; `null` skips the fence. */
  readonly leaseToken: string | null;
  /** Restricts the write to an execution of this job. */
  readonly jobId?: string;
  /** The current status must be one of these. Absent: every status that may change to the new one. */
  readonly from?: readonly ExecutionStatus[];
  /** If true, the failure is not retried, whatever the retry policy of the execution says. */
  readonly withoutRetry?: boolean;
  /** Null: the worker that holds the lease. */
  readonly actor: Actor | null;
  readonly now: Date;
}

export interface PatchFields extends UpdateExecution {
  readonly duration_ms?: number;
}

/** `PatchFields` with the columns derived from `usage`, if it is given. */
export interface StoredFields extends PatchFields, Partial<UsageColumns> {}

/** Fields that end an execution. */
export interface FinalFields extends StoredFields {
  readonly status: ExecutionStatus;
}

export interface PatchStatement extends PreparedStatement {
  readonly values: readonly unknown[];
}

const PLAIN_FIELDS = ['started_at', 'completed_at', 'response', 'error_message', 'duration_ms'] as const;

/**
 * Returns the statement that updates an execution: fence, state rule, fields, lease and counters together. The
 * statement returns the new row with its `previous_status`, or no row if the token or the state forbids the write. With
 * `running`, it does not apply to suspended executions; see `requeueStatement`.
 */
export function patchStatement(guard: PatchGuard, fields: StoredFields): PatchStatement {
  const { status } = fields;
  return statement(guard, fields, status === undefined ? undefined : transitionTo(status, guard, fields));
}

/**
 * Like `patchStatement` for a final state; the statement also inserts the message about it if the status changes.
 * `rows`: rows of a draft of `executionFinished` that contains only the execution; the statement adds the other fields.
 */
export function finishStatement(guard: PatchGuard, fields: FinalFields, rows: string): PatchStatement {
  const transition = transitionTo(fields.status, guard, fields);
  const isReport = fields.status === 'failed' && guard.withoutRetry !== true;
  const finished = isReport ? ({ ...transition, retried: false } as const) : transition;
  return statement(guard, fields, finished, (param) => finishedMessage(param(rows)));
}

/**
 * Returns the statement for `failed` on an execution whose policy allows a further attempt. The execution becomes
 * pending; the returned row contains its attempt and `queued_at`. `rows`: rows of a draft of `executionQueued` that
 * contains only the execution.
 */
export function retryStatement(guard: PatchGuard, fields: StoredFields, rows: string): PatchStatement {
  const { status: _status, completed_at: _end, duration_ms: _duration, ...reported } = fields;
  const transition = {
    next: 'pending',
    from: sourcesOf('failed'),
    conditions: [],
    sets: ['status = old.next', 'attempt = e.attempt + 1', `queued_at = ${retryAt(NOW)}`, ...ENDED_ATTEMPT],
    retried: true,
  } as const;
  return statement(guard, reported, transition, (param) => queuedMessage(param(rows)));
}

function transitionTo(status: ExecutionStatus, guard: PatchGuard, fields: StoredFields): PatchTransition {
  return {
    next: status,
    from: guard.from ?? sourcesOf(status),
    conditions: status === 'running' ? [`NOT ${SUSPENDED}`] : [],
    sets: statusSets(status, fields),
  };
}

/** Returns the statement for `running` on a suspended execution: it becomes pending with its current attempt. */
export function requeueStatement(guard: PatchGuard, fields: StoredFields): PatchStatement {
  const sets = ['status = old.next', `queued_at = ${NOW}`];
  const from = guard.from ?? ['paused', 'waiting_for_input'];
  return statement(guard, fields, { next: 'pending', from, conditions: [SUSPENDED], sets });
}

/** Returns the statement for `waiting_for_input` that suspends the execution: its lease ends, and no queue delivers it. */
export function suspendStatement(guard: PatchGuard, fields: StoredFields): PatchStatement {
  const sets = ['status = old.next', 'queued_at = NULL', ...STOPPED_CLOCK, ...ENDED_LEASE];
  const conditions = ['lease_expires_at IS NOT NULL', 'worker_queue_id IS NOT NULL'];
  const next = 'waiting_for_input';
  return statement(guard, fields, { next, from: ['running', next], conditions, sets, handsBack: true });
}

interface PatchTransition {
  readonly next: ExecutionStatus;
  readonly from: readonly ExecutionStatus[];
  readonly conditions: readonly string[];
  readonly sets: readonly string[];
  /**
   * For a reported failure. True: the statement applies only if another attempt follows. False: only if none follows.
   */
  readonly retried?: boolean;
  /** Whether the transition ends the lease but not the execution. */
  readonly handsBack?: boolean;
}

type AddParameter = (value: unknown) => string;

function statement(
  guard: PatchGuard,
  fields: StoredFields,
  transition: PatchTransition | undefined,
  message?: (param: AddParameter) => string,
): PatchStatement {
  const values: unknown[] = [guard.organizationId, guard.id, guard.leaseToken, guard.now];
  const param: AddParameter = (value) => `$${values.push(value)}`;
  const conditions = ['organization_id = $1', 'id = $2', '($3::text IS NULL OR lease_token = $3)'];
  if (guard.jobId !== undefined) conditions.push(`job_id = ${param(guard.jobId)}`);
  const sets = [
    ...PLAIN_FIELDS.flatMap((field) => (fields[field] === undefined ? [] : `${field} = ${param(fields[field])}`)),
    ...(fields.execution_metadata === undefined
      ? []
      : [`execution_metadata = ${param(JSON.stringify(fields.execution_metadata))}`]),
    ...usageSets(fields, transition?.retried === true, param),
  ];
  const onlyStatus = sets.length === 0 && transition !== undefined && transition.retried !== true;
  sets.push(onlyStatus ? `updated_at = CASE WHEN ${SAME} THEN e.updated_at ELSE ${NOW} END` : `updated_at = ${NOW}`);
  if (fields.error_message !== undefined) {
    const isCause = fields.error_message !== null || transition?.next === 'failed';
    sets.push(`cause = ${param(isCause ? failureCause(fields.error_message) : null)}`);
  } else if (transition?.next === 'failed') {
    // Keeps the cause of the message of an earlier write, if there is one.
    sets.push(`cause = coalesce(e.cause, ${param(failureCause(null))})`);
  }
  sets.push(...(transition?.sets ?? [RENEWED_LEASE]));
  if (transition !== undefined) conditions.push(`status = ANY(${param(transition.from)})`, ...transition.conditions);
  if (transition?.retried !== undefined) {
    const cause = fields.failure_reason === undefined ? REPORTED_CAUSE : param(fields.failure_reason);
    conditions.push(...(transition.retried ? [isRetried(cause)] : [`NOT ${isRetried(cause)}`, `NOT ${REPEATED}`]));
  }
  const text = `
    WITH old AS (
      SELECT organization_id, id, status, ${transition === undefined ? 'status' : `${param(transition.next)}::text`} AS next, lease_worker_id
      FROM executions WHERE ${conditions.join(' AND ')} FOR UPDATE
    ), changed AS (
      UPDATE executions e SET ${sets.join(', ')} FROM old
      WHERE e.organization_id = old.organization_id AND e.id = old.id
      RETURNING ${EXECUTION}, e.attempt, old.status AS previous_status, ${COMMANDED_WORKER}${transition?.retried === true ? ', e.queued_at' : ''}
    )${transition !== undefined && isFinal(transition.next) ? `, ${countCte('changed', 'changed')}` : ''}
    ${transition === undefined ? '' : `, noted AS (${noted(transition, guard.actor, param)})`}
    ${message === undefined ? '' : `, message AS (${message(param)})`}
    SELECT * FROM changed`;
  return { name: nameOf(text), text, values };
}

/**
 * Adds the reported usage to that of earlier attempts, and keeps the sum if the attempt ends and another one follows.
 */
function usageSets(fields: StoredFields, isRetried: boolean, param: AddParameter): readonly string[] {
  if (fields.usage === undefined) return isRetried ? [KEPT_USAGE] : [];
  const reported = `${param(JSON.stringify(fields.usage))}::json`;
  const model = `${param(fields.model ?? null)}::text`;
  const sums: Record<'usage' | (typeof ADDED_USAGE)[number], string> = {
    usage: `CASE WHEN e.earlier_usage IS NULL THEN ${reported} ELSE add_usage(e.earlier_usage -> 'usage', ${reported}) END`,
    input_tokens: sumOf('input_tokens'),
    output_tokens: sumOf('output_tokens'),
    total_tokens: sumOf('total_tokens'),
    cost_nanos: sumOf('cost_nanos'),
  };
  function sumOf(column: (typeof ADDED_USAGE)[number]): string {
    const [own, earlier] = [`${param(fields[column] ?? null)}::float8`, `(e.earlier_usage ->> '${column}')::float8`];
    return `coalesce(${own} + ${earlier}, ${own}, ${earlier})`;
  }
  return [
    `model = CASE WHEN e.earlier_usage IS NULL THEN ${model} ELSE coalesce(${model}, e.model) END`,
    ...Object.entries(sums).map(([column, sum]) => `${column} = ${sum}`),
    ...(isRetried ? [`earlier_usage = ${earlierUsage((column) => sums[column])}`] : []),
  ];
}

/** Returns the CTE that adds the change to the ledger, except for a repeated status. */
function noted({ next, retried, handsBack }: PatchTransition, actor: Actor | null, param: AddParameter): string {
  const kind = `${param(actor?.kind ?? null)}::text`;
  const given = (value: string | null | undefined, ofHolder: string): string =>
    `CASE WHEN ${kind} IS NULL THEN ${ofHolder} ELSE ${param(value ?? null)}::text END`;
  const isFailure = next === 'failed' || retried === true;
  const changes = retried === true || handsBack === true ? '' : ' WHERE previous_status <> changed.status';
  return noteTransitions(`changed JOIN old USING (organization_id, id)${changes}`, {
    at: NOW,
    from: 'previous_status',
    to: 'changed.status',
    attempt: 'attempt',
    ...(next === 'pending' ? { queuedAt: retried === true ? 'queued_at' : NOW } : {}),
    ...(handsBack === true ? { lease: 'handed_back' } : {}),
    ...(isFailure ? { reason: 'error_message' } : {}),
    actor: {
      kind: `coalesce(${kind}, 'worker')`,
      id: given(actor?.id, 'old.lease_worker_id'),
      name: given(actor?.name, 'runner_name'),
    },
  });
}

/**
 * Returns the CTE that inserts the message, with the fields of `ExecutionFinished` that follow from the changed row.
 */
function finishedMessage(rows: string): string {
  const delivery = `jsonb_build_object('delivery', jsonb_build_object('queueId', worker_queue_id, 'attempt', attempt))`;
  const isQueued = `$3::text IS NULL AND worker_queue_id IS NOT NULL`;
  const fields = `jsonb_build_object('from', previous_status) || CASE WHEN ${isQueued} THEN ${delivery} ELSE '{}' END`;
  return insertCompletedOutboxRow(rows, fields, 'changed WHERE previous_status <> status');
}

/**
 * Returns the CTE that inserts the message, with the fields of `ExecutionQueued` that follow from the changed row. The
 * message is due at the same time as the attempt.
 */
function queuedMessage(rows: string): string {
  const fields = `jsonb_build_object('queueId', worker_queue_id, 'attempt', attempt)`;
  return insertCompletedOutboxRow(rows, fields, 'changed', 'greatest(draft.next_attempt_at, queued_at)');
}

/** Condition: the write repeats a report that has no token, and another attempt followed the first report. */
const REPEATED = `($3::text IS NULL AND ${AWAITS_RETRY})`;
/**
 * Condition: the execution is suspended, which means that its lease ended while it was paused or waited for input. No
 * queue delivers it.
 */
const SUSPENDED = `(status IN ('paused', 'waiting_for_input') AND worker_queue_id IS NOT NULL AND lease_expires_at IS NULL AND queued_at IS NULL)`;
const NOW = '$4::timestamptz';
const SAME = 'old.status = old.next';
/** Condition: a worker holds the lease and the writer is another client, so the worker needs a command. */
const NEEDS_COMMAND = `$3::text IS NULL AND e.lease_expires_at IS NOT NULL`;

/**
 * The worker that holds the lease, if the writer is another client and the row has a command; the command may be new or
 * an earlier one.
 */
const COMMANDED_WORKER = `CASE WHEN $3::text IS NULL AND e.command IS NOT NULL THEN e.lease_worker_id END AS commanded_worker`;

/** Renews the lease only after a quarter of its length has passed, because each renewal writes an index entry. */
const RENEWED_LEASE = `lease_expires_at = CASE
  WHEN $3::text IS NOT NULL AND e.lease_expires_at < ${after('0.75 * e.lease_ms')}
  THEN ${after('e.lease_ms')} ELSE e.lease_expires_at END`;

function statusSets(status: ExecutionStatus, fields: PatchFields): readonly string[] {
  const sets = ['status = old.next'];
  if (isFinal(status)) {
    if (fields.completed_at === undefined) {
      // The clocks of processes differ; this keeps completed_at from being before started_at.
      sets.push(`completed_at = CASE WHEN ${SAME} THEN e.completed_at ELSE greatest(${NOW}, e.started_at) END`);
    }
    return [...sets, ...RELEASED_LEASE, ...command('cancel', `NOT ${SAME}`)];
  }
  sets.push(RENEWED_LEASE);
  if (status === 'running') {
    if (fields.started_at === undefined) sets.push(`started_at = coalesce(e.started_at, ${NOW})`);
    sets.push(...RUNNING_CLOCK, ...command('resume', "old.status = 'paused'"));
    if (fields.error_message === undefined) sets.push(...clearedOnRetry('error_message', 'cause'));
  }
  if (status === 'paused' || status === 'waiting_for_input') sets.push(...STOPPED_CLOCK);
  if (status === 'paused') sets.push(...command('pause', `NOT ${SAME}`));
  return sets;
}

/** Returns assignments that clear the values that an earlier attempt reported. */
function clearedOnRetry(...columns: readonly string[]): readonly string[] {
  return columns.map(
    (column) => `${column} = CASE WHEN old.status = 'pending' AND e.attempt > 1 THEN NULL ELSE e.${column} END`,
  );
}

/**
 * If the holder ends the execution, its token stays valid for late usage and metadata. Any other writer removes the
 * token.
 */
const RELEASED_LEASE = [
  `lease_token = CASE WHEN ${SAME} THEN e.lease_token ELSE $3::text END`,
  'lease_expires_at = NULL',
  `lease_worker_id = CASE WHEN ${SAME} OR (${NEEDS_COMMAND}) THEN e.lease_worker_id ELSE NULL END`,
];

function command(name: string, condition: string): readonly string[] {
  const due = `${condition} AND ${NEEDS_COMMAND}`;
  return [
    `command = CASE WHEN ${due} THEN '${name}' ELSE e.command END`,
    `command_at = CASE WHEN ${due} THEN ${DATABASE_NOW} ELSE e.command_at END`,
  ];
}

const names = new Map<string, string>();

/** Returns the name of a prepared statement. The number of names is bounded by the combinations of fields in use. */
function nameOf(text: string): string {
  const existing = names.get(text);
  if (existing !== undefined) return existing;
  const name = `execution.patch.${names.size}`;
  names.set(text, name);
  return name;
}
