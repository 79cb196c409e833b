import type { PreparedStatement } from '@app/database';
import { IS_OPEN } from '../executions/execution-state.sql.js';
import { DELETED_TURN, isHeld, isNextTurn } from './turn-conditions.sql.js';

/** The columns that a start sets; the values are parameters in this order. */
const STARTED_COLUMNS = [
  ...(['organization_id', 'id', 'user_id', 'user_name', 'session_id', 'name'] as const),
  ...(['execution_type', 'entity_id', 'entity_name'] as const),
] as const;

/**
 * Adds a turn to a session, which is created if it does not exist, and returns its number as `turn`. Locks the session
 * until the transaction ends: the turns of a session have the order in which their starts are committed. Parameters: the
 * values of `STARTED_COLUMNS`, then now.
 */
export const ADD_TURN: PreparedStatement = {
  name: 'turns.add',
  text: `
  INSERT INTO user_sessions AS session (${STARTED_COLUMNS.join(', ')}, turns, created_at, updated_at, last_activity_at)
  VALUES (${STARTED_COLUMNS.map((_column, index) => `$${index + 1}`).join(', ')}, 1, $10, $10, $10)
  ON CONFLICT (organization_id, user_id, session_id) DO UPDATE SET turns = session.turns + 1,
    user_name = coalesce(excluded.user_name, session.user_name), execution_type = excluded.execution_type,
    entity_id = excluded.entity_id, entity_name = excluded.entity_name,
    last_activity_at = greatest(session.last_activity_at, excluded.last_activity_at)
  RETURNING turns AS turn`,
};

const OPEN = `FROM executions
    WHERE organization_id = $1 AND user_id = $2 AND session_id = $3 AND session_turn IS NOT NULL AND ${IS_OPEN}`;

/** Chains of parents are followed this far. */
const MAX_ANCESTORS = 32;

/**
 * Returns the first open turn of a session, and those of the given execution and its ancestors that have begun. `$1`
 * organization, `$2` user, `$3` session, `$4` execution or null.
 */
export const FIND_OPEN_TURNS: PreparedStatement = {
  name: 'turns.find_open',
  text: `
  WITH RECURSIVE ancestors AS (
    SELECT id, parent_execution_id, 1 AS depth FROM executions WHERE organization_id = $1 AND id = $4
    UNION ALL
    SELECT parent.id, parent.parent_execution_id, depth + 1 FROM ancestors
      JOIN executions parent ON parent.organization_id = $1 AND parent.id = ancestors.parent_execution_id
      WHERE depth < ${MAX_ANCESTORS}
  )
  (SELECT id, status, session_turn AS turn, false AS is_ancestor ${OPEN} ORDER BY session_turn, created_at, id LIMIT 1)
  UNION ALL (
    SELECT id, status, session_turn, true ${OPEN} AND id IN (SELECT id FROM ancestors) AND NOT (${isHeld('executions')})
  )`,
};

/** Notes an activity of the session of an execution, locks it, and returns its key. `$1` organization, `$2` execution, `$3` now. */
export const TOUCH_SESSION_OF: PreparedStatement = {
  name: 'turns.touch_session_of',
  text: `
  UPDATE user_sessions session SET last_activity_at = greatest(session.last_activity_at, $3) FROM executions e
  WHERE e.organization_id = $1 AND e.id = $2 AND session.organization_id = $1 AND session.user_id = e.user_id
    AND session.session_id = e.session_id
  RETURNING session.organization_id AS "organizationId", session.user_id AS "userId", session.session_id AS "sessionId"`,
};

/** Locks a session. `$1` organization, `$2` user, `$3` session. */
export const LOCK_SESSION: PreparedStatement = {
  name: 'turns.lock_session',
  text: `SELECT 1 AS one FROM user_sessions WHERE organization_id = $1 AND user_id = $2 AND session_id = $3 FOR UPDATE`,
};

/** Returns sessions in which an execution waits for nothing. `$1` limit. */
export const FIND_STALLED: PreparedStatement = {
  name: 'turns.find_stalled',
  text: `
  SELECT DISTINCT organization_id AS "organizationId", user_id AS "userId", session_id AS "sessionId"
  FROM executions e WHERE ${isNextTurn('e')} LIMIT $1`,
};

/**
 * Adds an execution that has begun to a session that it is not in, as its last turn; not one whose session was deleted. `$1` organization, `$2` execution, `$3` session
 * id, `$4` id of a new session, `$5` now.
 */
export const JOIN_SESSION: PreparedStatement = {
  name: 'turns.join',
  text: `
  WITH joining AS (
    SELECT * FROM executions
    WHERE organization_id = $1 AND id = $2 AND user_id IS NOT NULL AND session_id IS DISTINCT FROM $3
      AND (status <> 'pending' OR lease_expires_at IS NOT NULL OR worker_queue_id IS NULL) AND session_turn IS DISTINCT FROM ${DELETED_TURN}
  ), session AS (
    INSERT INTO user_sessions AS session (${STARTED_COLUMNS.join(', ')}, turns, created_at, updated_at, last_activity_at)
    SELECT organization_id, $4, user_id, user_name, $3, $3, execution_type, entity_id, entity_name, 1, $5, $5, $5
    FROM joining
    ON CONFLICT (organization_id, user_id, session_id) DO UPDATE SET turns = session.turns + 1,
      last_activity_at = greatest(session.last_activity_at, excluded.last_activity_at)
    RETURNING turns
  )
  UPDATE executions e SET session_id = $3, session_turn = session.turns FROM session
  WHERE e.organization_id = $1 AND e.id = $2`,
};
