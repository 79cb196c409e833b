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

const FIRST = 'ORDER BY before.session_turn, before.created_at, before.id LIMIT 1';

/** Returns the id of the execution for whose end an execution waits in its session, otherwise null. */
export function waitsFor(alias: string): string {
  return `CASE WHEN ${isHeld(alias)} THEN (SELECT before.id ${openBefore(alias)} ${FIRST}) END`;
}

/**
 * Returns the id of the execution for whose end an ended execution still waited, if it had to wait in its session,
 * otherwise null. The search begins at the one that was the first when the execution started.
 */
export function waitedForAtItsEnd(alias: string): string {
  return `(SELECT before.id
    FROM executions first JOIN executions before ON before.organization_id = first.organization_id
      AND before.user_id = first.user_id AND before.session_id = first.session_id
      AND before.session_turn >= first.session_turn AND before.session_turn < ${alias}.session_turn
    WHERE first.organization_id = ${alias}.organization_id AND first.id = ${alias}.trace_origin ->> 'waits_for'
      AND before.session_turn IS NOT NULL AND coalesce(before.completed_at, 'infinity') > ${alias}.completed_at
    ${FIRST})`;
}
