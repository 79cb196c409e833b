/**
 * Returns the `FailureRow`s of a period: one row for each of the most frequent causes, or one row without a cause, each
 * with the totals of the period. Counts are read from `ix_executions_organization_id_failed` alone; the last execution
 * of each cause and entity is then looked up by its time. `$1` organization, `$2` beginning of the preceding period, `$3`
 * beginning, `$4` end, `$5` entity, `$6` job, `$7` queue (null: all), `$8` maximum number of causes, `$9` cause for
 * executions whose cause is null.
 */
export const FIND_FAILURES = `
  WITH failures AS MATERIALIZED (
    SELECT coalesce(cause, $9) AS cause, entity_id, completed_at, completed_at >= $3 AS is_current
    FROM executions
    WHERE organization_id = $1 AND status = 'failed' AND completed_at >= $2 AND completed_at < $4
      AND ($5::text IS NULL OR entity_id = $5) AND ($6::text IS NULL OR job_id = $6)
      AND ($7::text IS NULL OR worker_queue_id = $7)
  ), totals AS (
    SELECT count(*) FILTER (WHERE is_current)::integer AS failed,
      count(*) FILTER (WHERE NOT is_current)::integer AS failed_before
    FROM failures
  ), causes AS (
    SELECT cause, count(*) FILTER (WHERE is_current)::integer AS count,
      count(*) FILTER (WHERE NOT is_current)::integer AS count_before,
      min(completed_at) FILTER (WHERE is_current) AS first_at, max(completed_at) AS last_at
    FROM failures GROUP BY cause HAVING bool_or(is_current)
    ORDER BY 2 DESC, 5 DESC, 1 LIMIT $8
  ), entities AS (
    SELECT cause, entity_id AS id, count(*)::integer AS count, max(completed_at) AS last_at,
      row_number() OVER (PARTITION BY cause ORDER BY count(*) DESC, entity_id) AS position
    FROM failures WHERE is_current AND entity_id IS NOT NULL GROUP BY cause, entity_id
  )
  SELECT totals.*, causes.*, last.id AS last_execution_id, left(last.error_message, 1000) AS error_message,
    coalesce((
      SELECT json_agg(json_build_object('id', entities.id, 'count', entities.count, 'name', (
          SELECT e.entity_name FROM executions e
          WHERE e.organization_id = $1 AND e.status = 'failed' AND e.completed_at = entities.last_at
            AND e.entity_id = entities.id ORDER BY e.id DESC LIMIT 1
        )) ORDER BY entities.position)
      FROM entities WHERE entities.cause = causes.cause AND entities.position <= 3
    ), '[]') AS entities
  FROM totals LEFT JOIN causes ON true
  LEFT JOIN LATERAL (
    SELECT e.id, e.error_message FROM executions e
    WHERE e.organization_id = $1 AND e.status = 'failed' AND e.completed_at = causes.last_at
      AND coalesce(e.cause, $9) = causes.cause AND ($5::text IS NULL OR e.entity_id = $5)
      AND ($6::text IS NULL OR e.job_id = $6) AND ($7::text IS NULL OR e.worker_queue_id = $7)
    ORDER BY e.id DESC LIMIT 1
  ) last ON true
  ORDER BY causes.count DESC, causes.last_at DESC, causes.cause`;
