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
    ) AS children
  FROM executions e WHERE organization_id = $1 AND id = $2`;

/**
 * Returns the newest entries of the ledger of an execution, oldest first. `$1` organization, `$2` execution, `$3`
 * limit.
 */
export const FIND_TRANSITIONS = `
  SELECT at, from_status, to_status, attempt, lease, queued_at, actor_kind, actor_id, actor_name, reason FROM (
    SELECT * FROM execution_transitions WHERE organization_id = $1 AND execution_id = $2
    ORDER BY sequence DESC LIMIT $3
  ) newest ORDER BY sequence`;
