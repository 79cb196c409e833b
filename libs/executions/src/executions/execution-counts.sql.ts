/**
 * Returns a CTE that updates the counters of jobs in the statement that writes their executions.
 *
 * `source` names a CTE of the written rows with organization_id, id, job_id and status; changed rows also need
 * previous_status. The counters of removed rows are reduced, so they always equal a count of the rows. Rows of one job
 * and slot are summed and then upserted in order: a statement touches each counter once, and concurrent statements do
 * not deadlock.
 */
export function countCte(source: string, kind: 'new' | 'changed' | 'removed'): string {
  const condition = kind === 'changed' ? 'previous_status <> status' : 'true';
  const sign = kind === 'removed' ? '-' : '';
  return `counted AS (
    INSERT INTO execution_counts AS counts (organization_id, job_id, slot, total, successful, failed, cancelled)
    SELECT organization_id, job_id, hashtext(id) & 7, ${kind === 'changed' ? '0' : `${sign}count(*)`},
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
