/**
 * Returns a CTE that updates the counters of jobs in the statement that writes their executions, so that the counters
 * always equal a count of the rows. `source` names a CTE of the new, changed or removed rows with organization_id, id,
 * job_id and status; changed rows also need previous_status. Rows of one job are summed and then upserted in order: a
 * statement writes each counter once, and concurrent statements do not deadlock. A transaction uses only one of the
 * eight slots, so that at most one in eight other transactions waits for the commit of a transaction that starts many
 * executions of a job.
 */
export function countCte(source: string, kind: 'new' | 'changed' | 'removed'): string {
  const condition = kind === 'changed' ? 'previous_status <> status' : 'true';
  const sign = kind === 'removed' ? '-' : '';
  return `counted AS (
    INSERT INTO execution_counts AS counts (organization_id, job_id, slot, total, successful, failed, cancelled)
    SELECT organization_id, job_id, (pg_current_xact_id()::text::bigint & 7)::smallint, ${kind === 'changed' ? '0' : `${sign}count(*)`},
           ${sign}count(*) FILTER (WHERE status = 'completed'),
           ${sign}count(*) FILTER (WHERE status IN ('failed', 'terminated')),
           ${sign}count(*) FILTER (WHERE status = 'cancelled')
    FROM ${source} WHERE job_id IS NOT NULL AND ${condition}
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, job_id, slot) DO UPDATE SET
      total = counts.total + excluded.total,
      successful = counts.successful + excluded.successful,
      failed = counts.failed + excluded.failed,
      cancelled = counts.cancelled + excluded.cancelled
  )`;
}
