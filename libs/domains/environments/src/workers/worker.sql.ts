import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { isLive, notStale, statusAsRead } from './worker-liveness.sql.js';

/**
 * Records a heartbeat and returns a `HeartbeatResult`; no row if the worker is missing or disconnected. `$1`
 * organization, `$2` worker; the others can be null: `$3` status, `$4` metadata as JSON, `$5` runtimes, `$6` skills.
 */
export const RECORD_HEARTBEAT: PreparedStatement = {
  name: 'workers.heartbeat',
  text: `
  UPDATE workers w SET last_heartbeat_at = ${DATABASE_NOW}, updated_at = ${DATABASE_NOW}, dormant = false,
    status = coalesce($3, w.status),
    worker_metadata = coalesce($4::json, w.worker_metadata),
    runtimes = coalesce($5::text[], w.runtimes), skills = coalesce($6::text[], w.skills)
  FROM worker_queues q
  WHERE w.organization_id = $1 AND w.id = $2 AND w.status <> 'disconnected' AND q.id = w.worker_queue_id
  RETURNING w.id AS worker_id, w.worker_queue_id, w.status, w.last_heartbeat_at, q.heartbeat_interval`,
};

/** A `PollingWorker`. `$1` organization, `$2` worker. */
export const FIND_POLLING_WORKER: PreparedStatement = {
  name: 'workers.polling',
  text: `
  SELECT w.id AS worker_id, w.status AS worker_status, w.worker_queue_id, q.status AS queue_status,
    q.heartbeat_interval, q.environment_id, w.runtimes,
    coalesce(w.runner_name, CASE json_typeof(w.worker_metadata -> 'runner_name') WHEN 'string'
      THEN nullif(w.worker_metadata ->> 'runner_name', '') END, nullif(w.hostname, '')) AS runner_name
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
  WHERE w.organization_id = $1 AND w.id = $2`,
};

/**
 * Returns a `RunnerWorkers` with `runner_name` for each of the runners that has workers. `$1` organization, `$2` names.
 */
export const COUNT_WORKERS_BY_RUNNER = `
  SELECT w.runner_name, count(*) FILTER (WHERE ${isLive('w', 'q')})::int AS active_workers,
    max(w.last_heartbeat_at) AS last_heartbeat_at
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
  WHERE w.organization_id = $1 AND w.runner_name = ANY($2)
  GROUP BY w.runner_name`;

/** Marks stale workers as dormant, except those that send a heartbeat at the same time. `$1` limit. */
export const MARK_DORMANT = `
  UPDATE workers SET dormant = true WHERE id = ANY (ARRAY(
    SELECT w.id FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
    WHERE w.status <> 'disconnected' AND NOT w.dormant AND NOT (${notStale('w', 'q')})
    LIMIT $1 FOR UPDATE OF w SKIP LOCKED
  )) RETURNING 1 AS one`;

/** Deletes workers that have been disconnected or without a heartbeat for a number of days. `$1` days, `$2` limit. */
export const PRUNE_WORKERS = `
  DELETE FROM workers WHERE id = ANY (ARRAY(
    SELECT id FROM workers
    WHERE CASE WHEN status = 'disconnected' THEN disconnected_at ELSE last_heartbeat_at END
      < ${DATABASE_NOW} - $1::integer * interval '1 day' AND (status = 'disconnected' OR dormant)
    LIMIT $2 FOR UPDATE SKIP LOCKED
  )) RETURNING 1 AS one`;

/**
 * The number of workers of each queue by status, as `QueueWorkerCount`, without disconnected ones. `$1` organization,
 * `$2` queues.
 */
export const COUNT_WORKERS_IN_QUEUES = `
  SELECT w.worker_queue_id AS queue_id, ${statusAsRead('w', 'q')} AS status, count(*)::int AS workers
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
  WHERE w.organization_id = $1 AND w.worker_queue_id = ANY($2) AND w.status <> 'disconnected' GROUP BY 1, 2`;

/** Returns the number of live workers of each queue that has any, in all organizations. */
export const COUNT_LIVE_WORKERS = `
  SELECT w.organization_id, w.worker_queue_id AS queue_id, count(*)::int AS workers
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id WHERE ${isLive('w', 'q')} GROUP BY 1, 2`;

/** Each `runtime` that live workers declare, in the order of its bytes. `$1` organization, `$2` queue or null. */
export const LIST_OFFERED_RUNTIMES = `
  SELECT DISTINCT runtime COLLATE "C" AS runtime
  FROM worker_queues q JOIN workers w ON w.worker_queue_id = q.id, unnest(w.runtimes) AS runtime
  WHERE q.organization_id = $1 AND ($2::text IS NULL OR q.id = $2) AND ${isLive('w', 'q')} ORDER BY 1 LIMIT 1000`;

/** The number of workers that are neither disconnected nor dormant, by status as clients see it. */
export const COUNT_WORKERS_BY_STATUS = `
  SELECT ${statusAsRead('w', 'q')} AS status, count(*)::int AS workers
  FROM workers w JOIN worker_queues q ON q.id = w.worker_queue_id
  WHERE w.status <> 'disconnected' AND NOT w.dormant GROUP BY 1`;
