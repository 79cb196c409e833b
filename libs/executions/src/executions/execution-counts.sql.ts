/**
 * A CTE that moves a job's counters with its executions, in the statement that writes them.
 *
 * `source` names a CTE of written rows with organization_id, id, job_id and status; for changed rows also
 * previous_status. Rows of one job and slot are summed first, and taken in order, so that statements which move several
 * counters neither collide with themselves nor deadlock with each other.
 */
export function countCte(source: string, kind: 'new' | 'changed'): string {
  const relevant = kind === 'new' ? 'true' : 'previous_status <> status';
  return `counted AS (
    INSERT INTO execution_counts AS counts (organization_id, job_id, slot, total, successful, failed, cancelled)
    SELECT organization_id, job_id, hashtext(id) & 7, ${kind === 'new' ? 'count(*)' : '0'},
           count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status IN ('failed', 'terminated')),
           count(*) FILTER (WHERE status = 'cancelled')
    FROM ${source} WHERE job_id IS NOT NULL AND ${relevant}
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, job_id, slot) DO UPDATE SET
      total = counts.total + excluded.total,
      successful = counts.successful + excluded.successful,
      failed = counts.failed + excluded.failed,
      cancelled = counts.cancelled + excluded.cancelled
  )`;
}
