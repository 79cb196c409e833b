import type { LeaseChange } from './transition.types.js';

export const MAX_REASON_LENGTH = 1000;

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
