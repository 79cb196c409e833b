import { countCte } from '../executions/execution-counts.sql.js';
import { IS_FINAL } from '../executions/execution-state.sql.js';

const OWNED_TABLES = [
  'execution_messages',
  'execution_sessions',
  'session_messages',
  'task_records',
  'execution_records',
  'execution_steps',
  'execution_files',
  'execution_transitions',
];

const DELETE_OWNED = OWNED_TABLES.map(
  (table) => `
  deleted_${table} AS (
    DELETE FROM ${table} owned USING ended
    WHERE owned.organization_id = ended.organization_id AND owned.execution_id = ended.id
  )`,
);

/** A session can have 10,000 messages, so the number of messages limits a batch as well. */
const MAX_BATCH_MESSAGES = 10_000;

/**
 * Deletes executions that were created and ended before a time, oldest first, with everything that belongs to them, and
 * reduces the counters of their jobs. Clients may write any `completed_at`: an execution counts as ended at its last
 * change if `completed_at` is later. Rows that another dispatcher has locked are skipped. Returns the numbers of
 * executions that were `found`, and of those that were `deleted`: fewer are deleted if their sessions have many
 * messages, but at least one. `$1` time, `$2` limit.
 */
export const PRUNE_EXECUTIONS = `
  WITH found AS (
    SELECT organization_id, id, job_id, status, created_at FROM executions
    WHERE ${IS_FINAL} AND created_at < $1
      AND least(completed_at, updated_at) < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), measured AS (
    SELECT found.*, coalesce(stored_messages, 0) AS messages,
      sum(coalesce(stored_messages, 0)) OVER (ORDER BY found.created_at, id) AS messages_so_far
    FROM found LEFT JOIN execution_sessions session
      ON session.organization_id = found.organization_id AND session.execution_id = found.id
  ), ended AS (
    SELECT organization_id, id, job_id, status FROM measured WHERE messages_so_far - messages < ${MAX_BATCH_MESSAGES}
  ), ${DELETE_OWNED.join(',')}, ${countCte('ended', 'removed')}, deleted AS (
    DELETE FROM executions e USING ended WHERE e.organization_id = ended.organization_id AND e.id = ended.id
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM found)::integer AS found, (SELECT count(*) FROM deleted)::integer AS deleted`;
