import { STALE_AFTER_HEARTBEATS } from './worker.types.js';

/**
 * The one definition of silence, as SQL over the aliases `w` (workers) and `q` (its worker queue). `now` is the
 * placeholder of the present time, which comes from the Clock like any other.
 */
function notStale(now: string): string {
  return `w.last_heartbeat_at > ${now}::timestamptz - q.heartbeat_interval * interval '${STALE_AFTER_HEARTBEATS} seconds'`;
}

/** A worker that counts: neither disconnected nor stale. */
export function isLive(now: string): string {
  return `w.status <> 'disconnected' AND ${notStale(now)}`;
}

/** The state a reader is told. */
export function statusAsRead(now: string): string {
  return `CASE WHEN w.status = 'disconnected' OR ${notStale(now)} THEN w.status ELSE 'stale' END`;
}
