/**
 * Returns a relation for a join: the execution with this key, both SQL expressions. `OFFSET 0` keeps other conditions, and
 * so other indexes, out of it: on a table without statistics, PostgreSQL would otherwise read everything that waits in a
 * queue to find a few of its executions.
 */
export function executionByKey(organizationId: string, id: string, locking = ''): string {
  return `LATERAL (SELECT organization_id, id, attempt, worker_queue_id, status, queued_at, lease_token, lease_expires_at
      FROM executions WHERE organization_id = ${organizationId} AND id = ${id} OFFSET 0 ${locking})`;
}
