/** Deletes at most `$2` traces of days before `$1`. Returns their number. Their spans are dropped with the partition. */
export const PRUNE_TRACES = `
  WITH expired AS (
    SELECT organization_id, trace_id FROM traces WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM traces USING expired
    WHERE traces.organization_id = expired.organization_id AND traces.trace_id = expired.trace_id
    RETURNING 1
  )
  SELECT count(*)::integer AS count FROM deleted`;
