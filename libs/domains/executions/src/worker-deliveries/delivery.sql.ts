import { DATABASE_NOW, type PreparedStatement } from '@app/database';
import { executionByKey } from '../executions/execution-by-key.sql.js';
import { IS_OPEN } from '../executions/execution-state.sql.js';

/** Condition of an execution that waits in its queue, or for the time of its next attempt: pending and not leased. */
const WAITING = `status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL`;

/** Limit of the counts that every start reads to choose a queue. Beyond 1000, the exact number does not matter. */
const MAX_COUNT = 1000;

/** Returns the `QueueDepth` of each queue for waiting executions, up to the limit. Part of every start. `$1` queues. */
export const COUNT_WAITING_IN: PreparedStatement = {
  name: 'executions.count_waiting_in',
  text: `SELECT queue.id AS "queueId", (
      SELECT count(*)::integer FROM (
        SELECT 1 FROM executions WHERE worker_queue_id = queue.id AND ${WAITING} LIMIT ${MAX_COUNT}
      ) counted
    ) AS waiting
    FROM unnest($1::text[]) AS queue (id)`,
};

/** Returns the number of executions of a queue that have not ended, up to the limit. `$1` organization, `$2` queue. */
export const COUNT_OPEN_IN = `
  SELECT count(*)::integer AS open FROM (
    SELECT 1 FROM executions WHERE organization_id = $1 AND worker_queue_id = $2 AND ${IS_OPEN} LIMIT ${MAX_COUNT}
  ) counted`;

/** Condition of an execution that waits in its queue, and not for the time of its next attempt. */
const READY = `${WAITING} AND queued_at <= ${DATABASE_NOW}`;
/** Limit of the counts that operators see. */
const MAX_SHOWN = 10_000;

/** Returns the `QueueWait` of each queue. `$1` queues. */
export const READ_WAITS = `
  SELECT queue.id AS queue_id,
    (SELECT count(*)::integer FROM (
      SELECT 1 FROM executions WHERE worker_queue_id = queue.id AND ${READY} LIMIT ${MAX_SHOWN}
    ) counted) AS waiting,
    oldest.queued_at AS oldest_waiting_at, oldest.organization_id, ${DATABASE_NOW} AS at
  FROM unnest($1::text[]) AS queue (id) LEFT JOIN LATERAL (
    SELECT queued_at, organization_id FROM executions WHERE worker_queue_id = queue.id AND ${READY}
    ORDER BY queued_at LIMIT 1
  ) oldest ON true`;

/**
 * Condition of executions that have begun and not ended. With `started_at`, an index without waiting executions can be
 * used.
 */
const BEGUN = `${IS_OPEN} AND started_at IS NOT NULL AND status <> 'pending'`;

/**
 * Returns the `QueueProgress` of each queue of an organization in which executions have begun. `$1` organization, `$2`
 * queues.
 */
export const READ_PROGRESS = `
  SELECT worker_queue_id AS queue_id,
    count(*) FILTER (WHERE status = 'running')::integer AS running,
    count(*) FILTER (WHERE status = 'paused')::integer AS paused,
    count(*) FILTER (WHERE status = 'waiting_for_input')::integer AS waiting_for_input,
    min(updated_at) FILTER (WHERE status = 'waiting_for_input') AS oldest_waiting_for_input_at
  FROM executions WHERE organization_id = $1 AND worker_queue_id = ANY($2) AND ${BEGUN} GROUP BY worker_queue_id`;

/** Returns the number of running executions of each queue of all organizations. */
export const COUNT_RUNNING = `
  SELECT organization_id, worker_queue_id AS queue_id, count(*)::integer AS running
  FROM executions WHERE worker_queue_id IS NOT NULL AND status = 'running' AND ${BEGUN} GROUP BY 1, 2`;

/** Returns the number of leases, as `leases`, up to a limit. */
export const COUNT_LEASES = `
  SELECT count(*)::integer AS leases FROM (
    SELECT 1 FROM executions WHERE lease_expires_at > ${DATABASE_NOW} LIMIT ${10 * MAX_SHOWN}
  ) counted`;

/**
 * Returns the waiting executions of a queue that are ready, after a cursor. `$1` queue, `$2` to `$4` cursor or null,
 * `$5` limit, `$6` now.
 */
export const FIND_WAITING_AFTER = `
  SELECT organization_id AS "organizationId", id AS "executionId", attempt, queued_at AS "queuedAt" FROM executions
  WHERE ${WAITING} AND worker_queue_id = $1 AND queued_at <= $6
    AND ($2::timestamptz IS NULL OR (queued_at, organization_id, id) > ($2, $3, $4))
  ORDER BY queued_at, organization_id, id LIMIT $5`;

/**
 * Returns the oldest overdue executions of each queue. `$1` queues, `$2` time before which they were ready, `$3` limit
 * for each.
 */
export const FIND_OVERDUE_IN = `
  SELECT queue.id AS "queueId", oldest.* FROM unnest($1::text[]) AS queue (id) CROSS JOIN LATERAL (
    SELECT organization_id AS "organizationId", id AS "executionId", attempt FROM executions
    WHERE ${WAITING} AND worker_queue_id = queue.id AND queued_at <= $2
    ORDER BY queued_at, organization_id, id LIMIT $3
  ) oldest`;

/**
 * Returns those of the deliveries whose executions still wait for them in the queue, in order. `$1` queue, `$2` to `$4`
 * organizations, ids and attempts.
 */
export const FIND_STILL_WAITING = `
  SELECT e.organization_id AS "organizationId", e.id AS "executionId", e.attempt
  FROM unnest($2::text[], $3::text[], $4::integer[]) AS delivery (organization_id, id, attempt)
  CROSS JOIN ${executionByKey('delivery.organization_id', 'delivery.id')} AS e
  WHERE e.attempt = delivery.attempt AND ${WAITING} AND e.worker_queue_id = $1
  ORDER BY e.queued_at, e.organization_id, e.id`;

/**
 * Returns the ids of the queues with waiting executions. Reads only one index entry per queue, because a queue can have
 * any number of waiting executions and dispatchers run this statement every few seconds.
 */
export const FIND_QUEUES_WITH_WAITING = `
  WITH RECURSIVE queue AS (
    SELECT min(worker_queue_id) AS id FROM executions WHERE ${WAITING}
    UNION ALL
    SELECT (SELECT min(worker_queue_id) FROM executions WHERE ${WAITING} AND worker_queue_id > queue.id)
    FROM queue WHERE queue.id IS NOT NULL
  )
  SELECT id FROM queue WHERE id IS NOT NULL`;
