import type { PreparedStatement } from '@app/database';
import { isNamedEnvironment } from '../environments/environment.sql.js';
import { isLive } from '../workers/worker-liveness.sql.js';

/** Returns an expression for the number of live workers of the queue with this alias. */
export function liveWorkers(queue: string): string {
  return `(SELECT count(*)::int FROM workers w WHERE w.worker_queue_id = ${queue}.id AND ${isLive('w', queue)})`;
}

/** Condition: the worker `w` has all of the runtimes. A worker that declares no runtimes counts as having them. */
const hasRuntimes = (runtimes: string): string => `(w.runtimes IS NULL OR w.runtimes @> ${runtimes}::text[])`;

/** Lists are compared as texts: the control character U+0001 separates items, U+0002 stands for unknown. */
const SKILLS = `coalesce(array_to_string(w.skills, chr(1)), chr(2)) COLLATE "C"`;

const SELECT_ROUTED_QUEUES = `
  SELECT q.id, q.name, q.status, q.environment_id, e.name AS environment_name, live.*
  FROM worker_queues q JOIN environments e ON e.id = q.environment_id CROSS JOIN LATERAL (
    SELECT count(*)::int AS live_workers,
      count(*) FILTER (WHERE ${hasRuntimes('$3')})::int AS able_workers,
      count(*) FILTER (WHERE ${hasRuntimes('$4')})::int AS complete_workers,
      min(${SKILLS}) AS first_skills, max(${SKILLS}) AS last_skills
    FROM workers w WHERE w.worker_queue_id = q.id AND ${isLive('w', 'q')}
  ) live
  WHERE q.organization_id = $1`;

/**
 * The `queue_id` of each queue with a live worker that has all of the runtimes and skills. `$1` organization, `$2`
 * queues, `$3` runtimes, `$4` skills.
 */
export const FIND_QUEUES_WITH_SKILLS = `
  SELECT q.id AS queue_id FROM worker_queues q
  WHERE q.organization_id = $1 AND q.id = ANY($2) AND EXISTS (
    SELECT 1 FROM workers w WHERE w.worker_queue_id = q.id AND ${isLive('w', 'q')} AND ${hasRuntimes('$3')}
      AND (w.skills IS NULL OR w.skills @> $4::text[]))`;

/**
 * The `RoutedQueue` with this id first, then those with this name, oldest first. `$1` organization, `$2` id or name,
 * `$3` runtimes without which the run cannot begin, `$4` all runtimes of the run.
 */
export const FIND_QUEUES_BY_ID_OR_NAME: PreparedStatement = {
  name: 'worker_queues.named',
  text: `${SELECT_ROUTED_QUEUES} AND (q.id = $2 OR q.name = $2) ORDER BY q.id = $2 DESC, q.created_at, q.id`,
};

/**
 * Each active `RoutedQueue` of the environments, oldest first. `$1` organization, `$2` ids or names, `$3` and `$4` as
 * above.
 */
export const FIND_ACTIVE_QUEUES_IN: PreparedStatement = {
  name: 'worker_queues.active_in',
  text: `${SELECT_ROUTED_QUEUES} AND q.status = 'active' AND ${isNamedEnvironment('e', '$2')} ORDER BY q.created_at, q.id`,
};
