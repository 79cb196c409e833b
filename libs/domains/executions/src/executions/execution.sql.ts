import type { PreparedStatement } from '@app/database';
import { insertOutboxRowsOf } from '@app/dispatch';
import { IS_OPEN } from './execution-state.sql.js';
import { notStopped } from '../stops/work-stop.sql.js';
import { noteTransitions } from './transition.sql.js';
import { countCte } from './execution-counts.sql.js';
import { EXECUTION, INSERTED_COLUMNS } from './execution-columns.sql.js';

const BY_USER = `user_id IS NOT NULL AND coalesce(trigger_type, '') NOT IN ('cron', 'webhook')`;

const NOTE_CREATION = noteTransitions('inserted', {
  at: 'created_at',
  from: 'NULL',
  to: 'status',
  attempt: 'attempt',
  queuedAt: 'queued_at',
  actor: {
    kind: `CASE WHEN ${BY_USER} THEN 'user' ELSE 'platform' END`,
    id: `CASE WHEN ${BY_USER} THEN user_id END`,
    name: `CASE WHEN ${BY_USER} THEN user_name END`,
  },
  reason: 'coalesce(error_message, trigger_type)',
});

const GIVEN = 'execution json, source_id text, messages text';

/**
 * Returns the statement that inserts up to `limit` executions (`INSERTED_COLUMNS`), their entries in the ledger and their
 * outbox messages, and updates the counters of their jobs. Returns their organizations and ids; leaves out those whose source is
 * stopped. `$1` a JSON list of objects with the fields of `GIVEN`: the row, the source of the start or null, and the rows of
 * an `OutboxDraft` or null.
 */
export function insertStatement(limit: number): PreparedStatement {
  return {
    name: `execution.insert.${limit}`,
    text: `
  WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS given (${GIVEN}) LIMIT ${limit}
  ), inserted AS (
    INSERT INTO executions (${INSERTED_COLUMNS.join(', ')})
    SELECT ${INSERTED_COLUMNS.map((column) => `row.${column}`).join(', ')}
    FROM given CROSS JOIN LATERAL json_populate_record(NULL::executions, given.execution) AS row
    WHERE ${notStopped('row.organization_id', 'given.source_id')}
    RETURNING organization_id, id, job_id, status, created_at, attempt, queued_at, trigger_type, user_id, user_name,
      error_message
  ), ${countCte('inserted', 'new')}, noted AS (${NOTE_CREATION}), sent AS (${insertOutboxRowsOf(
    'given.messages::json',
    `inserted JOIN given ON organization_id = execution ->> 'organization_id' AND inserted.id = execution ->> 'id'`,
  )})
  SELECT organization_id, id FROM inserted`,
  };
}

/** An `Execution`. `$1` organization, `$2` id. */
export const FIND_EXECUTION: PreparedStatement = {
  name: 'execution.find',
  text: `SELECT ${EXECUTION} FROM executions e WHERE e.organization_id = $1 AND e.id = $2`,
};

/** A `DoneExecution` with its plan. `$1` organization, `$2` id. */
export const FIND_DONE_EXECUTION: PreparedStatement = {
  name: 'execution.find_done',
  text: `SELECT id, status, response, error_message, usage, completed_at, plan FROM executions
    WHERE organization_id = $1 AND id = $2`,
};

/** The `ExecutionGuards`. `$1` organization, `$2` id. */
export const FIND_EXECUTION_GUARDS: PreparedStatement = {
  name: 'execution.find_guards',
  text: 'SELECT status, lease_token, job_id FROM executions WHERE organization_id = $1 AND id = $2',
};

/** The `Execution`s in one of the statuses. `$1` and `$2` organizations and ids in pairs, `$3` statuses. */
export const FIND_EXECUTIONS_IN = `
  SELECT ${EXECUTION} FROM unnest($1::text[], $2::text[]) AS requested (organization_id, id)
  JOIN executions e USING (organization_id, id) WHERE e.status = ANY($3)`;

/** Locks the row until the transaction ends, without returning columns. `$1` organization, `$2` id. */
export const LOCK_EXECUTION: PreparedStatement = {
  name: 'execution.lock',
  text: 'SELECT 1 AS one FROM executions WHERE organization_id = $1 AND id = $2 FOR UPDATE',
};

/** `$1` organization, `$2` ids. */
export const FIND_TRACES: PreparedStatement = {
  name: 'execution.find_traces',
  text: `SELECT id, traceparent FROM executions WHERE organization_id = $1 AND id = ANY($2) AND traceparent IS NOT NULL`,
};

/** The trace of an execution `e`, as its index has it. */
const TRACE_ID = `substr(e.traceparent, 4, 32)`;

/** The newest ended executions in which those of a trace are looked for. */
const MAX_RECENT = 1000;

/**
 * The `Execution`s of a trace that have not ended, or not before `$3`, oldest first. `$1` organization, `$2` trace id, `$3`
 * time, `$4` limit.
 */
export const FIND_RECENT_BY_TRACE: PreparedStatement = {
  name: 'execution.find_recent_by_trace',
  text: `
  SELECT * FROM (
    (SELECT ${EXECUTION} FROM executions e
      WHERE e.organization_id = $1 AND ${TRACE_ID} = $2 AND e.traceparent IS NOT NULL AND e.${IS_OPEN}
      ORDER BY e.created_at, e.id LIMIT $4)
    UNION ALL
    SELECT ${EXECUTION} FROM (
      SELECT * FROM executions WHERE organization_id = $1 AND completed_at >= $3
      ORDER BY completed_at DESC LIMIT ${MAX_RECENT}
    ) e WHERE ${TRACE_ID} = $2
  ) found ORDER BY created_at, id LIMIT $4`,
};
