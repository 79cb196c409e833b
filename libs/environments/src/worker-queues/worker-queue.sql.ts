import type { PreparedStatement } from '@app/database';
import { isNamedEnvironment } from '../environments/environment.sql.js';
import { isLive } from '../workers/worker-liveness.sql.js';

/** The number of live workers of the queue with this alias. */
export function liveWorkers(queue: string): string {
  return `(SELECT count(*)::int FROM workers w WHERE w.worker_queue_id = ${queue}.id AND ${isLive('w', queue)})`;
}

const SELECT_PLACES = `
  SELECT q.id, q.name, q.status, q.environment_id, e.name AS environment_name, ${liveWorkers('q')} AS live_workers
  FROM worker_queues q JOIN environments e ON e.id = q.environment_id
  WHERE q.organization_id = $1`;

/** The `RoutedQueue` with this id first, then those with this name, oldest first. `$1` organization, `$2` id or name. */
export const FIND_QUEUES_BY_ID_OR_NAME: PreparedStatement = {
  name: 'worker_queues.named',
  text: `${SELECT_PLACES} AND (q.id = $2 OR q.name = $2) ORDER BY q.id = $2 DESC, q.created_at, q.id`,
};

/** Each active `RoutedQueue` of the environments, oldest first. `$1` organization, `$2` ids or names. */
export const FIND_ACTIVE_QUEUES_IN: PreparedStatement = {
  name: 'worker_queues.active_in',
  text: `${SELECT_PLACES} AND q.status = 'active' AND ${isNamedEnvironment('e', '$2')} ORDER BY q.created_at, q.id`,
};
