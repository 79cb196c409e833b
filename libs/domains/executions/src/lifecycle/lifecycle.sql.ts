import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { insertOutboxRowsOf } from '@app/dispatch';
import { countCte } from '../executions/execution-counts.sql.js';
import { batchLimit } from '../executions/batch-limit.js';
import { EXECUTION } from '../executions/execution-columns.sql.js';
import { IS_OPEN } from '../executions/execution-state.sql.js';
import { MAX_REASON_LENGTH } from '../executions/transition.sql.js';
import { isHeld } from '../session-turns/turn-conditions.sql.js';
import { FIXED_COLUMNS, LIFECYCLE_COLUMNS } from './lifecycle.types.js';

/** A `LifecycleSnapshot`. `xmin` is the transaction that wrote the version of the row. */
const SNAPSHOT = `${[...FIXED_COLUMNS, ...LIFECYCLE_COLUMNS].map((column) => `e.${column}`).join(', ')},
  e.traceparent, e.xmin::text AS version, ${DATABASE_NOW} AS at`;

/** A `LifecycleSnapshot`. `$1` organization, `$2` id. */
export const READ_LIFECYCLE: PreparedStatement = {
  name: 'lifecycle.read',
  text: `SELECT ${SNAPSHOT} FROM executions e WHERE e.organization_id = $1 AND e.id = $2`,
};

/** Each `LifecycleSnapshot`. `$1` and `$2` organizations and ids in pairs. */
export const READ_LIFECYCLES: PreparedStatement = {
  name: 'lifecycle.read_all',
  text: `SELECT ${SNAPSHOT} FROM unnest($1::text[], $2::text[]) AS requested (organization_id, id)
    JOIN executions e ON e.organization_id = requested.organization_id AND e.id = requested.id`,
};

/** Like `READ_LIFECYCLE`, and locks the row. */
export const LOCK_LIFECYCLE: PreparedStatement = { name: 'lifecycle.lock', text: `${READ_LIFECYCLE.text} FOR UPDATE` };

/** Leases that have expired, before `$2` if that is not null, oldest first. `$1` limit. Skips locked rows. */
export const LOCK_EXPIRED: PreparedStatement = {
  name: 'lifecycle.lock_expired',
  text: `SELECT ${SNAPSHOT} FROM executions e WHERE e.lease_expires_at < least(${DATABASE_NOW}, $2)
    ORDER BY e.lease_expires_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
};

/**
 * Attempts that exceed their time limit by more than a lease, before `$2` if that is not null. `$1` limit. Skips locked
 * rows.
 */
export const LOCK_TIMED_OUT: PreparedStatement = {
  name: 'lifecycle.lock_timed_out',
  text: `SELECT ${SNAPSHOT} FROM executions e WHERE e.lease_expires_at IS NOT NULL
      AND e.timeout_at + e.lease_ms * interval '1 millisecond' < least(${DATABASE_NOW}, $2)
    ORDER BY e.lease_expires_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
};

/**
 * The leases of a worker, in a fixed order, so that concurrent requests of a worker wait and do not deadlock. `$1`
 * organization, `$2` worker.
 */
export const LOCK_HELD_BY: PreparedStatement = {
  name: 'lifecycle.lock_held_by',
  text: `SELECT ${SNAPSHOT} FROM executions e
    WHERE e.organization_id = $1 AND e.lease_worker_id = $2 AND e.lease_expires_at IS NOT NULL ORDER BY e.id FOR UPDATE`,
};

/** The execution whose lease has the token. `$1` organization, `$2` execution, `$3` token. */
export const LOCK_LEASED: PreparedStatement = {
  name: 'lifecycle.lock_leased',
  text: `SELECT ${SNAPSHOT} FROM executions e
    WHERE e.organization_id = $1 AND e.id = $2 AND e.lease_token = $3 AND e.lease_expires_at IS NOT NULL FOR UPDATE`,
};

/** Executions that wait in a queue, oldest first. `$1` queue, `$2` limit. Skips locked rows. */
export const LOCK_WAITING_IN: PreparedStatement = {
  name: 'lifecycle.lock_waiting_in',
  text: `SELECT ${SNAPSHOT} FROM executions e
    WHERE e.status = 'pending' AND e.lease_expires_at IS NULL AND e.queued_at IS NOT NULL AND e.worker_queue_id = $1
    ORDER BY e.queued_at, e.organization_id, e.id LIMIT $2 FOR UPDATE SKIP LOCKED`,
};

/**
 * The execution of a session that waits for no other one any more: it has the lowest turn of the open ones. `$1`
 * organization, `$2` user, `$3` session. The session is locked.
 */
export const LOCK_NEXT_TURNS: PreparedStatement = {
  name: 'lifecycle.lock_next_turns',
  text: `SELECT ${SNAPSHOT} FROM executions e
    WHERE e.organization_id = $1 AND e.user_id = $2 AND e.session_id = $3 AND ${isHeld('e')}
      AND e.session_turn = (SELECT session_turn FROM executions WHERE organization_id = $1 AND user_id = $2
        AND session_id = $3 AND session_turn IS NOT NULL AND ${IS_OPEN} ORDER BY session_turn LIMIT 1)
    FOR UPDATE OF e`,
};

/** The columns of a `WrittenChange`. */
const CHANGE = `(
    n integer, organization_id text, id text, version text, previous_status text, status text, cause text, attempt integer,
    queued_at timestamptz, started_at timestamptz, completed_at timestamptz, updated_at timestamptz, lease_token text,
    lease_worker_id text, lease_expires_at timestamptz, command text, command_at timestamptz, timeout_at timestamptz,
    timeout_left_ms double precision, written text[], response text, error_message text, execution_metadata text,
    duration_ms double precision, usage text, model text, input_tokens double precision, output_tokens double precision,
    total_tokens double precision, cost_nanos double precision, keeps_usage boolean, is_noted boolean, at timestamptz,
    lease text, due_at timestamptz, actor_kind text, actor_id text, actor_name text, reason text, is_message boolean,
    messages text
  )`;

/** Values of `earlier_usage` that are added to those of a report. */
const ADDED_USAGE = ['input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'] as const;

const REPORTS_USAGE = `'usage' = ANY(c.written)`;
const USAGE = `CASE WHEN NOT ${REPORTS_USAGE} THEN e.usage WHEN e.earlier_usage IS NULL THEN c.usage::json
      ELSE add_usage(e.earlier_usage -> 'usage', c.usage::json) END`;
const MODEL = `CASE WHEN NOT ${REPORTS_USAGE} THEN e.model WHEN e.earlier_usage IS NULL THEN c.model
      ELSE coalesce(c.model, e.model) END`;

function sumOf(column: (typeof ADDED_USAGE)[number]): string {
  const earlier = `(e.earlier_usage ->> '${column}')::float8`;
  const sum = `coalesce(c.${column} + ${earlier}, c.${column}, ${earlier})`;
  return `CASE WHEN ${REPORTS_USAGE} THEN ${sum} ELSE e.${column} END`;
}

/** Keeps the usage that ended attempts have reported: the next attempt reports only its own. */
const EARLIER_USAGE = `CASE WHEN NOT c.keeps_usage OR (NOT ${REPORTS_USAGE} AND e.usage::text = '{}') THEN e.earlier_usage
      ELSE json_build_object('usage', ${USAGE}, ${ADDED_USAGE.map((column) => `'${column}', ${sumOf(column)}`).join(', ')}) END`;

const WRITTEN_COLUMNS = ['response', 'error_message', 'execution_metadata', 'duration_ms'] as const;

function written(column: (typeof WRITTEN_COLUMNS)[number]): string {
  const value = column === 'execution_metadata' ? `c.${column}::json` : `c.${column}`;
  return `${column} = CASE WHEN '${column}' = ANY(c.written) THEN ${value} ELSE e.${column} END`;
}

const ASSIGNMENTS = [
  ...LIFECYCLE_COLUMNS.map((column) => `${column} = c.${column}`),
  ...WRITTEN_COLUMNS.map(written),
  `usage = ${USAGE}`,
  `model = ${MODEL}`,
  ...ADDED_USAGE.map((column) => `${column} = ${sumOf(column)}`),
  `earlier_usage = ${EARLIER_USAGE}`,
];

/** What the changes of a batch contain; the statement has only the parts for these. */
export interface BatchParts {
  /** The number of changes. */
  readonly size: number;
  readonly notes: boolean;
  readonly ends: boolean;
  readonly messages: boolean;
  /** Whether it returns the executions, for their senders. */
  readonly executions: boolean;
}

const statements = new Map<string, PreparedStatement>();

/**
 * Returns the statement that writes changes: rows, ledger, counters of jobs and outbox together. Returns a row with `n`
 * for each change; a change whose execution has another version by now, or is
 * locked, is left out. `$1` the changes as JSON.
 *
 * Every statement that changes the status, the attempt or the holder of an execution adds to the ledger while it holds the
 * lock of the row, so `sequence` is the order of the changes.
 */
export function writeStatement(parts: BatchParts): PreparedStatement {
  const { notes, ends, messages, executions } = parts;
  const limit = batchLimit(parts.size);
  const name = `lifecycle.write.${limit}.${[notes, ends, messages, executions].map(Number).join('')}`;
  let statement = statements.get(name);
  if (statement === undefined) {
    statement = { name, text: textOf(parts, limit) };
    statements.set(name, statement);
  }
  return statement;
}

function textOf({ notes, ends, messages, executions }: BatchParts, limit: number): string {
  const ctes = [
    `changes AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS change ${CHANGE} LIMIT ${limit})`,
    // Whoever keeps one of the rows locked must not delay the others.
    `free AS (
    SELECT c.n FROM changes c JOIN executions e ON e.organization_id = c.organization_id AND e.id = c.id
    WHERE e.xmin = c.version::xid FOR UPDATE OF e SKIP LOCKED)`,
    `changed AS (
    UPDATE executions e SET ${ASSIGNMENTS.join(',\n      ')}
    FROM changes c JOIN free USING (n) WHERE e.organization_id = c.organization_id AND e.id = c.id
    RETURNING ${executions ? EXECUTION : 'e.organization_id, e.id, e.job_id, e.status, e.error_message'}, e.attempt, c.n,
      c.previous_status, e.xmin::text AS version, ${DATABASE_NOW} AS written_at)`,
    ...(ends ? [countCte('changed', 'changed')] : []),
    ...(notes ? [`noted AS (${NOTES})`] : []),
    ...(messages ? [`sent AS (${MESSAGES})`] : []),
  ];
  return `WITH ${ctes.join(', ')} SELECT ${executions ? '*' : 'n'} FROM changed`;
}

const NOTES = `INSERT INTO execution_transitions (organization_id, execution_id, at, from_status, to_status, attempt, lease,
      queued_at, actor_kind, actor_id, actor_name, reason)
    SELECT changed.organization_id, changed.id, c.at, c.previous_status, c.status, c.attempt, c.lease, c.due_at, c.actor_kind,
      c.actor_id, c.actor_name,
      left(CASE WHEN c.is_message THEN changed.error_message ELSE c.reason END, ${MAX_REASON_LENGTH})
    FROM changed JOIN changes c USING (n) WHERE c.is_noted ORDER BY n`;

const MESSAGES = insertOutboxRowsOf('c.messages::json', 'changed JOIN changes c USING (n)');
