import { countCte } from './execution-counts.sql.js';
import { EXECUTION } from './execution.columns.js';
import { isFinal, sourcesOf, type ExecutionStatus } from './execution-state.js';
import type { UpdateExecution } from './execution.types.js';

export interface PatchGuard {
  readonly organizationId: string;
  readonly id: string;
  /** Must be the current one; `null` writes under the state rules alone. */
  readonly leaseToken: string | null;
  /** Only an execution of this job. */
  readonly jobId?: string;
  /** Only over these states. Absent: over every state the rules allow. */
  readonly from?: readonly ExecutionStatus[];
  readonly now: Date;
}

export interface PatchFields extends UpdateExecution {
  readonly duration_ms?: number;
}

export interface PatchStatement {
  /** Unique to the text, for preparation. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const PLAIN_FIELDS = ['started_at', 'completed_at', 'response', 'error_message', 'duration_ms'] as const;
const JSON_FIELDS = ['usage', 'execution_metadata'] as const;

/**
 * The one statement that changes an execution: fence, state rule, fields, lease and counters together. It answers the
 * new row with its `previous_status`, or nothing when token or state forbid it. A parked execution can not simply run
 * again: `running` finds nothing there, see `requeueStatement`.
 */
export function patchStatement(guard: PatchGuard, fields: PatchFields): PatchStatement {
  const { status } = fields;
  if (status === undefined) return statement(guard, fields, undefined);
  return statement(guard, fields, {
    next: status,
    from: guard.from ?? sourcesOf(status),
    conditions: status === 'running' ? [`NOT ${PARKED}`] : [],
    sets: statusSets(status, fields),
  });
}

/** The write to `running` of a parked execution: nobody runs it, so it goes back to its queue as the attempt it stands at. */
export function requeueStatement(guard: PatchGuard, fields: PatchFields): PatchStatement {
  const sets = ['status = old.next', `queued_at = ${NOW}`];
  return statement(guard, fields, { next: 'pending', from: ['paused'], conditions: [PARKED], sets });
}

interface Move {
  readonly next: ExecutionStatus;
  readonly from: readonly ExecutionStatus[];
  readonly conditions: readonly string[];
  readonly sets: readonly string[];
}

function statement(guard: PatchGuard, fields: PatchFields, move: Move | undefined): PatchStatement {
  const values: unknown[] = [guard.organizationId, guard.id, guard.leaseToken, guard.now];
  const param = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['organization_id = $1', 'id = $2', '($3::text IS NULL OR lease_token = $3)'];
  if (guard.jobId !== undefined) conditions.push(`job_id = ${param(guard.jobId)}`);
  const sets = [
    ...PLAIN_FIELDS.flatMap((field) => (fields[field] === undefined ? [] : `${field} = ${param(fields[field])}`)),
    ...JSON_FIELDS.flatMap((field) =>
      fields[field] === undefined ? [] : `${field} = ${param(JSON.stringify(fields[field]))}`,
    ),
  ];
  const onlyStatus = sets.length === 0 && move !== undefined;
  sets.push(onlyStatus ? `updated_at = CASE WHEN ${SAME} THEN e.updated_at ELSE ${NOW} END` : `updated_at = ${NOW}`);
  sets.push(...(move?.sets ?? [RENEWED_LEASE]));
  if (move !== undefined) conditions.push(`status = ANY(${param(move.from)})`, ...move.conditions);
  const text = `
    WITH old AS (
      SELECT organization_id, id, status, ${move === undefined ? 'status' : `${param(move.next)}::text`} AS next
      FROM executions WHERE ${conditions.join(' AND ')} FOR UPDATE
    ), changed AS (
      UPDATE executions e SET ${sets.join(', ')} FROM old
      WHERE e.organization_id = old.organization_id AND e.id = old.id
      RETURNING ${EXECUTION}, e.attempt, old.status AS previous_status
    )${move !== undefined && isFinal(move.next) ? `, ${countCte('changed', 'changed')}` : ''}
    SELECT * FROM changed`;
  return { name: nameOf(text), text, values };
}

/** Its worker died, or went, while it was paused: nobody holds it and nothing delivers it. */
const PARKED = `(status = 'paused' AND worker_queue_id IS NOT NULL AND lease_expires_at IS NULL AND queued_at IS NULL)`;
const NOW = '$4::timestamptz';
const SAME = 'old.status = old.next';
/** Somebody other than the lease's holder writes while there is one: its worker has to be told. */
const WORKER_UNAWARE = `$3::text IS NULL AND e.lease_expires_at IS NOT NULL`;

/** Only once a quarter of the lease has passed: a renewal costs an index entry. */
const RENEWED_LEASE = `lease_expires_at = CASE
  WHEN $3::text IS NOT NULL AND e.lease_expires_at < ${NOW} + e.lease_ms * 0.75 * interval '1 millisecond'
  THEN ${NOW} + e.lease_ms * interval '1 millisecond' ELSE e.lease_expires_at END`;

function statusSets(status: ExecutionStatus, fields: PatchFields): readonly string[] {
  const sets = ['status = old.next'];
  if (isFinal(status)) {
    if (fields.completed_at === undefined) {
      // Clocks of two processes differ: nothing ends before it began.
      sets.push(`completed_at = CASE WHEN ${SAME} THEN e.completed_at ELSE greatest(${NOW}, e.started_at) END`);
    }
    return [...sets, ...RELEASED_LEASE, ...command('cancel', `NOT ${SAME}`)];
  }
  sets.push(RENEWED_LEASE);
  if (status === 'running') {
    if (fields.started_at === undefined) sets.push(`started_at = coalesce(e.started_at, ${NOW})`);
    sets.push(...command('resume', "old.status = 'paused'"));
  }
  if (status === 'paused') sets.push(...command('pause', `NOT ${SAME}`));
  return sets;
}

/** A holder that ends its execution keeps its token, for usage and metadata that come late; nobody else's does. */
const RELEASED_LEASE = [
  `lease_token = CASE WHEN ${SAME} THEN e.lease_token ELSE $3::text END`,
  'lease_expires_at = NULL',
  `lease_worker_id = CASE WHEN ${SAME} OR (${WORKER_UNAWARE}) THEN e.lease_worker_id ELSE NULL END`,
];

function command(name: string, condition: string): readonly string[] {
  const told = `${condition} AND ${WORKER_UNAWARE}`;
  return [
    `command = CASE WHEN ${told} THEN '${name}' ELSE e.command END`,
    `command_at = CASE WHEN ${told} THEN ${NOW} ELSE e.command_at END`,
  ];
}

const names = new Map<string, string>();

/** As many names as there are combinations of fields in use. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `execution.patch.${names.size}`;
  names.set(text, name);
  return name;
}
