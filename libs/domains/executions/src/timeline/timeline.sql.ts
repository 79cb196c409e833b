import type { PreparedStatement } from '@app/database';
import { waitedFor, waitsFor } from '../session-turns/turn-conditions.sql.js';

/**
 * Returns the fields of a `Timeline` that come from the row of the execution. `$1` organization, `$2` id, `$3` maximum
 * of `children`.
 */
export const FIND_TIMELINE_FACTS = `
  SELECT id, status, job_id, worker_queue_id, parent_execution_id, traceparent, (
      SELECT count(*)::integer FROM (
        SELECT 1 FROM executions child
        WHERE child.organization_id = e.organization_id AND child.parent_execution_id = e.id LIMIT $3
      ) counted
    ) AS children, ${waitsFor('e')} AS waits_for_execution_id
  FROM executions e WHERE organization_id = $1 AND id = $2`;

/** Returns each ended execution as a `TracedExecution` without attempts. `$1` organization, `$2` ids. */
export const FIND_TRACED: PreparedStatement = {
  name: 'timeline.find_traced',
  text: `
  SELECT id, execution_type, entity_id, entity_name, status, error_message, cause, trigger_type, job_id,
    parent_execution_id, worker_queue_id, session_id, traceparent, trace_origin, created_at, completed_at,
    ${waitedFor('e')} AS waited_for
  FROM executions e WHERE organization_id = $1 AND id = ANY($2) AND traceparent IS NOT NULL AND completed_at IS NOT NULL`,
};

/**
 * Returns the newest entries of the ledgers of executions with `execution_id`, oldest first. `$1` organization, `$2`
 * executions, `$3` limit per execution.
 */
export const FIND_TRANSITIONS_OF: PreparedStatement = {
  name: 'timeline.find_transitions_of',
  text: `
  SELECT execution_id, at, from_status, to_status, attempt, lease, queued_at, actor_kind, actor_id, actor_name, reason
  FROM unnest($2::text[]) AS traced (id) CROSS JOIN LATERAL (
    SELECT * FROM execution_transitions WHERE organization_id = $1 AND execution_id = traced.id
    ORDER BY sequence DESC LIMIT $3
  ) newest ORDER BY sequence`,
};

/**
 * Returns the newest entries of the ledger of an execution, oldest first. `$1` organization, `$2` execution, `$3`
 * limit.
 */
export const FIND_TRANSITIONS = `
  SELECT at, from_status, to_status, attempt, lease, queued_at, actor_kind, actor_id, actor_name, reason FROM (
    SELECT * FROM execution_transitions WHERE organization_id = $1 AND execution_id = $2
    ORDER BY sequence DESC LIMIT $3
  ) newest ORDER BY sequence`;
