import { IS_OPEN } from '../executions/execution-state.sql.js';

/** The turn of an execution whose session was deleted: what its worker still reports does not create the session again. */
export const DELETED_TURN = 0;

/** Returns the condition that an execution waits for the end of another one of its session, or has just stopped waiting. */
export function isHeld(alias: string): string {
  return `${alias}.session_turn IS NOT NULL AND ${alias}.${IS_OPEN} AND ${alias}.status = 'pending'
    AND ${alias}.lease_expires_at IS NULL AND ${alias}.queued_at IS NULL AND ${alias}.worker_queue_id IS NOT NULL`;
}

/** Returns the FROM and WHERE of the executions that an execution of a session waits for: open ones with lower turns. */
function openBefore(alias: string): string {
  return `FROM executions before
    WHERE before.organization_id = ${alias}.organization_id AND before.user_id = ${alias}.user_id
      AND before.session_id = ${alias}.session_id AND before.session_turn < ${alias}.session_turn
      AND before.session_turn IS NOT NULL AND before.${IS_OPEN}`;
}

/** Returns the condition that an execution was held back and nothing before it in its session is open any more. */
export function isNextTurn(alias: string): string {
  return `${isHeld(alias)} AND NOT EXISTS (SELECT 1 ${openBefore(alias)})`;
}

/** Returns the id of the execution for whose end an execution waits in its session, otherwise null. */
export function waitsFor(alias: string): string {
  return `CASE WHEN ${isHeld(alias)} THEN (
      SELECT before.id ${openBefore(alias)} ORDER BY before.session_turn, before.created_at, before.id LIMIT 1
    ) END`;
}

/**
 * Returns the id of the execution for which an ended execution waited last, if it had to wait in its session, otherwise
 * null: the one that was the first when it ended, or else the one that ended last and so let it go. The search begins at
 * the first one of its start.
 */
export function waitedFor(alias: string): string {
  const wasOpen = `coalesce(before.completed_at, 'infinity') > ${alias}.completed_at`;
  return `(SELECT before.id
    FROM executions first JOIN executions before ON before.organization_id = first.organization_id
      AND before.user_id = first.user_id AND before.session_id = first.session_id
      AND before.session_turn >= first.session_turn AND before.session_turn < ${alias}.session_turn
      AND before.session_turn IS NOT NULL
    WHERE first.organization_id = ${alias}.organization_id AND first.id = ${alias}.trace_origin ->> 'waits_for'
    ORDER BY CASE WHEN ${wasOpen} THEN before.session_turn END, before.completed_at DESC, before.created_at, before.id
    LIMIT 1)`;
}
