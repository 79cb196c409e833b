import { countCte } from '../executions/execution-counts.sql.js';
import { IS_FINAL } from '../executions/execution-state.sql.js';

const OWNED_TABLES = [
  'execution_messages',
  'execution_sessions',
  'task_records',
  'execution_records',
  'execution_steps',
  'execution_files',
];

const DELETE_OWNED = OWNED_TABLES.map(
  (table) => `
  deleted_${table} AS (
    DELETE FROM ${table} owned USING ended
    WHERE owned.organization_id = ended.organization_id AND owned.execution_id = ended.id
  )`,
);

/**
 * Deletes executions that were created and ended before a time, oldest first, with everything that belongs to them, and
 * reduces the counters of their jobs. Clients may write `completed_at`, so the end is at the latest the last change. Rows
 * that another dispatcher has locked are skipped. `$1` time, `$2` limit.
 */
export const PRUNE_EXECUTIONS = `
  WITH ended AS (
    SELECT organization_id, id, job_id, status FROM executions
    WHERE ${IS_FINAL} AND created_at < $1
      AND least(completed_at, updated_at) < $1
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), ${DELETE_OWNED.join(',')}, ${countCte('ended', 'removed')}
  DELETE FROM executions e USING ended WHERE e.organization_id = ended.organization_id AND e.id = ended.id
  RETURNING 1 AS one`;
