import type { LeaseChange } from './timeline.types.js';

const MAX_REASON_LENGTH = 1000;

/** The columns of a row of the ledger, as SQL expressions over the columns of `relation`. */
export interface NotedColumns {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly attempt: string;
  readonly lease?: LeaseChange;
  readonly queuedAt?: string;
  readonly actor: NotedActor;
  readonly reason?: string;
}

/** SQL expressions. */
export interface NotedActor {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export const BY_PLATFORM: NotedActor = { kind: `'platform'`, id: 'NULL', name: 'NULL' };

/**
 * Returns an INSERT for a common table expression: it adds a row to the ledger for each row of `relation`, which has
 * the columns `organization_id` and `id` and may end with a WHERE clause. Every statement that changes the status, the
 * attempt or the holder of an execution contains it. The statement holds the lock of the row, so `sequence` is the
 * order of the changes.
 */
export function noteTransitions(relation: string, columns: NotedColumns): string {
  const { at, from, to, attempt, lease, queuedAt = 'NULL', actor, reason = 'NULL' } = columns;
  return `
    INSERT INTO execution_transitions (organization_id, execution_id, at, from_status, to_status, attempt, lease, queued_at,
      actor_kind, actor_id, actor_name, reason)
    SELECT organization_id, id, ${at}, ${from}, ${to}, ${attempt}, ${lease === undefined ? 'NULL' : `'${lease}'`},
      ${queuedAt}::timestamptz, ${actor.kind}, ${actor.id}, ${actor.name}, left(${reason}, ${MAX_REASON_LENGTH})
    FROM ${relation}`;
}

/**
 * Returns the fields of a `Timeline` that come from the row of the execution. `$1` organization, `$2` id, `$3` maximum
 * of `children`.
 */
export const FIND_TIMELINE_FACTS = `
  SELECT id, status, job_id, worker_queue_id, parent_execution_id, traceparent, (
      SELECT count(*)::integer FROM (
        SELECT 1 FROM executions child
        WHERE child.organization_id = e.organization_id AND child.parent_execution_id = e.id LIMIT $3
      ) counted
    ) AS children
  FROM executions e WHERE organization_id = $1 AND id = $2`;

/**
 * Returns the newest entries of the ledger of an execution, oldest first. `$1` organization, `$2` execution, `$3`
 * limit.
 */
export const FIND_TRANSITIONS = `
  SELECT at, from_status, to_status, attempt, lease, queued_at, actor_kind, actor_id, actor_name, reason FROM (
    SELECT * FROM execution_transitions WHERE organization_id = $1 AND execution_id = $2
    ORDER BY sequence DESC LIMIT $3
  ) newest ORDER BY sequence`;
