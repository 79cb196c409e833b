import { DATABASE_NOW } from '@app/database';
import { STALE_AFTER_HEARTBEATS } from './worker.types.js';

/**
 * The one definition of a stale worker. Heartbeats are stored and compared with the clock of the database. `worker` and
 * `queue` are the aliases of the tables `workers` and `worker_queues`.
 */
export function notStale(worker: string, queue: string): string {
  const limit = `${queue}.heartbeat_interval * interval '${STALE_AFTER_HEARTBEATS} seconds'`;
  return `${worker}.last_heartbeat_at > ${DATABASE_NOW} - ${limit}`;
}

/**
 * Whether a worker is live: neither disconnected nor stale. Dormant workers are stale and excluded first: no index contains
 * the heartbeat, and every routed start counts the live workers, however many dead ones there are.
 */
export function isLive(worker: string, queue: string): string {
  return `${worker}.status <> 'disconnected' AND NOT ${worker}.dormant AND ${notStale(worker, queue)}`;
}

/** The status of a worker as clients see it. */
export function statusAsRead(worker: string, queue: string): string {
  const current = `${worker}.status = 'disconnected' OR ${notStale(worker, queue)}`;
  return `CASE WHEN ${current} THEN ${worker}.status ELSE 'stale' END`;
}
