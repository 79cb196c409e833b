import { DATABASE_NOW, type PreparedStatement } from '@app/database';

/** The columns of a `StoredOutboxMessage`. */
const COLUMNS = ['id', 'topic', 'payload', 'traceparent', 'tracestate', 'attempts', 'created_at', 'next_attempt_at'];

/**
 * Returns the INSERT for the messages of drafts, for use as a CTE of a statement that writes other tables as well. `rows`
 * (an `OutboxDraft`'s) is a `json` expression over the columns of `source`.
 */
export function insertOutboxRowsOf(rows: string, source: string): string {
  return `INSERT INTO outbox (${COLUMNS.join(', ')})
    SELECT ${COLUMNS.map((column) => `message.${column}`).join(', ')}
    FROM ${source} CROSS JOIN LATERAL json_populate_recordset(NULL::outbox, ${rows}) AS message`;
}

/** `$1` the rows of a draft. */
export const INSERT_MESSAGES: PreparedStatement = {
  name: 'outbox.insert',
  text: insertOutboxRowsOf('draft.rows', '(SELECT $1::json AS rows) AS draft'),
};

/** `$1` ids. */
export const DELETE_MESSAGES: PreparedStatement = {
  name: 'outbox.delete',
  text: 'DELETE FROM outbox WHERE id = ANY($1)',
};

/**
 * Claims due messages, longest due first, and returns each `OverdueMessage`. The next attempt is due after 1 s; the
 * delay doubles with each attempt, up to 15 s. `$1` now, `$2` limit.
 */
export const CLAIM_OVERDUE_MESSAGES: PreparedStatement = {
  name: 'outbox.claim_overdue',
  text: `UPDATE outbox SET
      attempts = attempts + 1,
      next_attempt_at = $1::timestamptz + least(power(2, least(attempts, 10)), 15) * interval '1 second'
    WHERE id = ANY (ARRAY(
      SELECT id FROM outbox WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ))
    RETURNING id, topic, payload, traceparent, tracestate, attempts`,
};

/** Whether a message is planned for the future, such as the next attempt of an execution after its delay. */
const PLANNED = `attempts = 0 AND next_attempt_at > ${DATABASE_NOW} + interval '15 seconds'`;

/** The time from which the delay of a message counts: its creation or, if it was planned, 15 s before its due time. */
const WANTED_AT = `CASE attempts WHEN 0 THEN greatest(created_at, next_attempt_at - interval '15 seconds') ELSE created_at END`;

/**
 * The `OutboxBacklog`, without planned messages. Other messages are deleted within a second, so the table is small
 * unless handlers fail. The limit of the count is for that case.
 */
export const READ_BACKLOG = `
  SELECT count(*)::integer AS rows,
    coalesce(greatest(extract(epoch FROM ${DATABASE_NOW} - min(wanted_at)), 0), 0)::double precision AS oldest_seconds
  FROM (
    SELECT ${WANTED_AT} AS wanted_at FROM outbox WHERE NOT (${PLANNED}) ORDER BY next_attempt_at LIMIT 10000
  ) counted`;
