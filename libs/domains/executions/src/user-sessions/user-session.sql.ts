import type { PreparedStatement } from '@app/database';
import { IS_OPEN } from '../executions/execution-state.sql.js';
import { DELETED_TURN } from '../session-turns/turn-conditions.sql.js';

/** The executions of the session `session`. */
const OF_SESSION = `e.organization_id = session.organization_id AND e.user_id = session.user_id
      AND e.session_id = session.session_id AND e.session_turn IS NOT NULL`;

/** Number of the newest executions in which the preview of a session is looked for. */
const PREVIEWED_TURNS = 10;

/** The preview of the newest message of the session `session`. */
export const LAST_PREVIEW = `coalesce((
    SELECT last_message_preview FROM (
      SELECT e.last_message_preview, e.session_turn, e.created_at, e.id FROM executions e
      WHERE ${OF_SESSION} ORDER BY e.session_turn DESC, e.created_at DESC, e.id DESC LIMIT ${PREVIEWED_TURNS}
    ) newest WHERE last_message_preview IS NOT NULL ORDER BY session_turn DESC, created_at DESC, id DESC LIMIT 1
  ), session.copied_preview)`;

/** Returns the column of the first execution of the session `session` that has not ended. */
export function ofRunning(column: 'id' | 'status'): string {
  return `(SELECT e.${column} FROM executions e WHERE ${OF_SESSION} AND e.${IS_OPEN}
    ORDER BY e.session_turn, e.created_at, e.id LIMIT 1)`;
}

/** Condition that what ran last in the session `session` is one of the pairs of kind and id. */
export const RUNS_ONE_OF = `(session.execution_type, session.entity_id) IN (
    SELECT * FROM unnest(:kinds::text[], :ids::text[]))`;

export const NAME_CONTAINS = `(strpos(lower(session.name), lower(:words)) > 0 OR session.session_id = :words)`;

/** Locks a session and returns its row. `$1` organization, `$2` id. */
export const LOCK_USER_SESSION: PreparedStatement = {
  name: 'user_sessions.lock',
  text: `SELECT user_id, session_id FROM user_sessions WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
};

/**
 * Deletes a session with its messages, and those of its executions, which no longer belong to a session. `$1` organization,
 * `$2` id. The session is locked, and its executions have ended.
 */
export const DELETE_USER_SESSION = `
  WITH session AS (
    DELETE FROM user_sessions WHERE organization_id = $1 AND id = $2 RETURNING organization_id, user_id, session_id
  ), left_executions AS (
    UPDATE executions e SET session_id = NULL, session_turn = ${DELETED_TURN}, last_message_preview = NULL
    FROM session WHERE ${OF_SESSION} RETURNING e.id
  ), stored AS (
    DELETE FROM session_messages USING left_executions
    WHERE organization_id = $1 AND execution_id = left_executions.id
  ), sent AS (
    DELETE FROM execution_messages USING left_executions
    WHERE organization_id = $1 AND execution_id = left_executions.id
  ), sessions AS (
    DELETE FROM execution_sessions USING left_executions
    WHERE organization_id = $1 AND execution_id = left_executions.id
  )
  DELETE FROM user_session_messages WHERE organization_id = $1 AND user_session_id = $2`;

/**
 * Deletes sessions without executions that were last used before a time, oldest first. Returns the number as `deleted`.
 * `$1` time, `$2` limit.
 */
export const PRUNE_USER_SESSIONS = `
  WITH unused AS (
    SELECT organization_id, id FROM user_sessions session WHERE last_activity_at < $1
      AND NOT EXISTS (SELECT 1 FROM executions e WHERE ${OF_SESSION})
    ORDER BY last_activity_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), messages AS (
    DELETE FROM user_session_messages message USING unused
    WHERE message.organization_id = unused.organization_id AND message.user_session_id = unused.id
  ), deleted AS (
    DELETE FROM user_sessions session USING unused
    WHERE session.organization_id = unused.organization_id AND session.id = unused.id RETURNING 1
  )
  SELECT count(*)::integer AS deleted FROM deleted`;
