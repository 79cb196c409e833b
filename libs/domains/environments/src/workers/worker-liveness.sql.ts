import { DATABASE_NOW } from '@app/database';
import { STALE_AFTER_HEARTBEATS } from './worker.types.js';

/**
 * Condition: a worker is not stale. This is the only definition. Heartbeats are stored and compared with the clock of
 * the database. `worker` and `queue` are the aliases of the tables `workers` and `worker_queues`.
 */
export function notStale(worker: string, queue: string): string {
  const limit = `${queue}.heartbeat_interval * interval '${STALE_AFTER_HEARTBEATS} seconds'`;
  return `${worker}.last_heartbeat_at > ${DATABASE_NOW} - ${limit}`;
}

/**
 * Condition: a worker is live, which means neither disconnected nor stale. No index contains the heartbeat, so a
 * partial index excludes dormant workers, which are all stale: every routed start counts the live workers and must not
 * read many dead ones.
 */
export function isLive(worker: string, queue: string): string {
  return `${worker}.status <> 'disconnected' AND NOT ${worker}.dormant AND ${notStale(worker, queue)}`;
}

/** Returns an expression for the status of a worker as clients see it. */
export function statusAsRead(worker: string, queue: string): string {
  const current = `${worker}.status = 'disconnected' OR ${notStale(worker, queue)}`;
  return `CASE WHEN ${current} THEN ${worker}.status ELSE 'stale' END`;
}
