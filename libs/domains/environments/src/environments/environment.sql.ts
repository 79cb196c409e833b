import type { PreparedStatement } from '@app/database';
import { isLive } from '../workers/worker-liveness.sql.js';

/**
 * Selects the environment with this id, otherwise the one with this name. Used wherever an id or a name is accepted, so
 * that the same text names the same environment everywhere.
 */
function namedEnvironment(organization: string, word: string): string {
  return `organization_id = ${organization} AND (id = ${word} OR name = ${word}) ORDER BY id = ${word} DESC LIMIT 1`;
}

/**
 * Condition: one of the ids or names refers to this environment, by the rule of `namedEnvironment`. Its query plan
 * does not depend on the values.
 */
export function isNamedEnvironment(environment: string, words: string): string {
  return `(${environment}.id = ANY(${words}) OR ${environment}.name = ANY(${words}) AND NOT EXISTS (
    SELECT 1 FROM environments meant
    WHERE meant.organization_id = ${environment}.organization_id AND meant.id = ${environment}.name))`;
}

const WORKER_COUNTS = `
  LEFT JOIN LATERAL (
    SELECT count(*)::int AS active_workers,
      (count(*) FILTER (WHERE w.status = 'idle'))::int AS idle_workers,
      (count(*) FILTER (WHERE w.status = 'busy'))::int AS busy_workers
    FROM worker_queues q JOIN workers w ON w.worker_queue_id = q.id
    WHERE q.environment_id = e.id AND ${isLive('w', 'q')}
  ) counts ON true`;

/** An `Environment`. `$1` organization, `$2` id or name. */
export const FIND_ENVIRONMENT = `
  SELECT e.*, counts.* FROM (SELECT * FROM environments WHERE ${namedEnvironment('$1', '$2')}) e ${WORKER_COUNTS}`;

/** The live workers of each environment. `$1` organization, `$2` ids. */
export const COUNT_WORKERS = `
  SELECT e.id, counts.* FROM environments e ${WORKER_COUNTS} WHERE e.organization_id = $1 AND e.id = ANY($2)`;

/** The `execution_environment` of an environment. `$1` organization, `$2` id. */
export const FIND_EXECUTION_ENVIRONMENT: PreparedStatement = {
  name: 'environments.execution_environment',
  text: 'SELECT execution_environment FROM environments WHERE organization_id = $1 AND id = $2',
};

/** Each `execution_environment` with the requested id or name as `word`. `$1` organization, `$2` ids or names. */
export const FIND_EXECUTION_ENVIRONMENTS = `
  SELECT asked.word, e.execution_environment
  FROM unnest($2::text[]) AS asked (word) CROSS JOIN LATERAL (
    SELECT execution_environment FROM environments WHERE ${namedEnvironment('$1', 'asked.word')}
  ) e`;

/** Each `EnvironmentSummary` with the requested id or name as `word`. `$1` organization, `$2` ids or names. */
export const FIND_NAMED_ENVIRONMENTS: PreparedStatement = {
  name: 'environments.find_named',
  text: `
  SELECT asked.word, e.id, e.name, e.display_name, e.status
  FROM unnest($2::text[]) AS asked (word) CROSS JOIN LATERAL (
    SELECT id, name, display_name, status FROM environments WHERE ${namedEnvironment('$1', 'asked.word')}
  ) e`,
};

/** Locks the environment until the transaction ends. `$1` organization, `$2` id or name. */
export const LOCK_ENVIRONMENT = `SELECT id, name FROM environments WHERE ${namedEnvironment('$1', '$2')} FOR UPDATE`;
