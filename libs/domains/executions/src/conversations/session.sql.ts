/**
 * Inserts or updates a session, and returns it without its messages. A null parameter keeps the stored value. `$1`
 * organization, `$2` execution, `$3` session id, `$4` user id, `$5` metadata as JSON, `$6` now.
 */
export const SAVE_SESSION = `
  INSERT INTO execution_sessions AS session
    (organization_id, execution_id, session_id, user_id, metadata, created_at, updated_at)
  VALUES ($1, $2, $3, $4, coalesce($5::json, '{}'), $6, $6)
  ON CONFLICT (organization_id, execution_id) DO UPDATE SET
    session_id = coalesce($3, session.session_id), user_id = coalesce($4, session.user_id),
    metadata = coalesce($5::json, session.metadata), updated_at = $6
  RETURNING execution_id, session_id, user_id, metadata, created_at, updated_at`;

/**
 * Replaces the messages of an existing session. Messages at the beginning of the list that are already stored at the
 * same place keep their positions. `$1` organization, `$2` execution, `$3` messages as JSON, `$4` the id of each, or
 * null.
 */
export const REPLACE_MESSAGES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM ROWS FROM (json_array_elements($3::json), unnest($4::text[]))
      WITH ORDINALITY AS given (message, message_id, ordinal)
  ), stored AS MATERIALIZED (
    SELECT position, message, row_number() OVER (ORDER BY position) AS ordinal FROM session_messages
    WHERE organization_id = $1 AND execution_id = $2
  ), kept AS MATERIALIZED (
    SELECT coalesce(min(ordinal) - 1, (SELECT count(*) FROM given)) AS messages FROM given FULL JOIN stored USING (ordinal)
    WHERE given.message::text IS DISTINCT FROM stored.message::text
  ), removed AS (
    DELETE FROM session_messages WHERE organization_id = $1 AND execution_id = $2 AND position > (
      SELECT coalesce(max(position), 0) FROM stored WHERE ordinal <= (SELECT messages FROM kept))
  ), added AS (
    INSERT INTO session_messages (organization_id, execution_id, position, message_id, message, bytes)
    SELECT $1, $2, session.last_position + given.ordinal - kept.messages, given.message_id, given.message,
      octet_length(given.message::text)
    FROM given, kept, execution_sessions session
    WHERE session.organization_id = $1 AND session.execution_id = $2 AND given.ordinal > kept.messages
  ), sent AS (
    UPDATE execution_messages SET is_stored = NOT is_stored
    WHERE organization_id = $1 AND execution_id = $2 AND is_stored IS DISTINCT FROM (
      message_id IN (SELECT given.message_id FROM given WHERE given.message_id IS NOT NULL))
  )
  UPDATE execution_sessions SET last_position = last_position + total.messages - kept.messages,
    stored_messages = total.messages, stored_bytes = total.bytes
  FROM kept, (SELECT count(*) AS messages, coalesce(sum(octet_length(message::text)), 0) AS bytes FROM given) total
  WHERE organization_id = $1 AND execution_id = $2`;

/**
 * Appends messages to a session, which is inserted if it does not exist; leaves out messages whose ids are already
 * stored. Returns the `StoredSize`. `$1` organization, `$2` execution, `$3` session id or null to keep
 * it, `$4` messages as JSON, `$5` their ids in the same order, each once, `$6` now.
 */
export const APPEND_MESSAGES = {
  name: 'sessions.append',
  text: `
  WITH fresh AS MATERIALIZED (
    SELECT given.message, given.id, row_number() OVER (ORDER BY given.ordinal) AS place,
      octet_length(given.message::text) AS bytes
    FROM ROWS FROM (json_array_elements($4::json), unnest($5::text[])) WITH ORDINALITY AS given (message, id, ordinal)
    WHERE NOT EXISTS (
      SELECT 1 FROM session_messages stored
      WHERE stored.organization_id = $1 AND stored.execution_id = $2 AND stored.message_id = given.id)
  ), session AS (
    INSERT INTO execution_sessions AS session (organization_id, execution_id, session_id, user_id, last_position,
      stored_messages, stored_bytes, metadata, created_at, updated_at)
    SELECT $1, $2, $3, NULL, count(*), count(*), coalesce(sum(bytes), 0), '{}', $6, $6 FROM fresh
    ON CONFLICT (organization_id, execution_id) DO UPDATE SET
      session_id = coalesce($3, session.session_id),
      last_position = session.last_position + excluded.last_position,
      stored_messages = session.stored_messages + excluded.stored_messages,
      stored_bytes = session.stored_bytes + excluded.stored_bytes, updated_at = $6
    RETURNING last_position, stored_messages, stored_bytes
  ), added AS (
    INSERT INTO session_messages (organization_id, execution_id, position, message_id, message, bytes)
    SELECT $1, $2, session.last_position - (SELECT count(*) FROM fresh) + fresh.place, fresh.id, fresh.message, fresh.bytes
    FROM fresh, session
  ), sent AS (
    UPDATE execution_messages SET is_stored = true FROM fresh
    WHERE organization_id = $1 AND execution_id = $2 AND message_id = fresh.id AND NOT is_stored
  )
  SELECT stored_messages AS messages, stored_bytes::integer AS bytes, (SELECT count(*)::integer FROM fresh) AS added
  FROM session`,
};
