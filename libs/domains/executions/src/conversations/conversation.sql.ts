/** The stored messages. */
const STORED = `session_messages WHERE organization_id = $1 AND execution_id = $2`;

/** The sent messages that the worker has not stored. */
const SENT = `execution_messages WHERE organization_id = $1 AND execution_id = $2 AND NOT is_stored`;

/** The order of a conversation: the stored messages, then the sent ones. */
const ORDER = `origin = 'sent', position, sent_at, sent_id`;

/**
 * Maximum number of messages in one part of the history, in addition to its limit in bytes, so that reading a part does
 * not read the whole conversation.
 */
const MAX_PART_MESSAGES = 1000;

/** Returns each `message` of the conversation in order. `$1` organization, `$2` execution. */
export const FIND_CONVERSATION = `
  SELECT message FROM (
    SELECT 'stored' AS origin, position, NULL::timestamptz AS sent_at, NULL AS sent_id, message FROM ${STORED}
    UNION ALL SELECT 'sent', NULL, created_at, message_id, message FROM ${SENT}
  ) conversation ORDER BY ${ORDER}`;

/** Returns each stored `message` in order. `$1` organization, `$2` execution. */
export const FIND_STORED = `SELECT message FROM ${STORED} ORDER BY position`;

/**
 * Returns the messages after a position, up to `$6` bytes together but at least one: first the stored ones, then the
 * sent ones that are not stored. `remaining` exceeds the number of rows if more follow. `$3` position of the last
 * stored message, `$4` and `$5` time and id of the last sent message; `$4` null: all sent messages.
 */
export const FIND_CONVERSATION_AFTER = `
  WITH next AS (
    SELECT * FROM (
      (SELECT 'stored' AS origin, position, NULL::timestamptz AS sent_at, NULL AS sent_id, message, bytes
       FROM ${STORED} AND position > $3::bigint ORDER BY position LIMIT ${MAX_PART_MESSAGES + 1})
      UNION ALL
      (SELECT 'sent', NULL, created_at, message_id, message, octet_length(message::text)
       FROM ${SENT} AND ($4::timestamptz IS NULL OR (created_at, message_id) > ($4, $5))
       ORDER BY created_at, message_id LIMIT ${MAX_PART_MESSAGES + 1})
    ) following ORDER BY ${ORDER} LIMIT ${MAX_PART_MESSAGES + 1}
  )
  SELECT position, sent_at, sent_id, message, remaining FROM (
    SELECT next.*, count(*) OVER ()::integer AS remaining, row_number() OVER (ORDER BY ${ORDER}) AS place,
      sum(bytes) OVER (ORDER BY ${ORDER}) - bytes AS bytes_before
    FROM next
  ) measured
  WHERE bytes_before < $6 AND place <= ${MAX_PART_MESSAGES} ORDER BY place`;

/**
 * Returns a page of the messages and the `total`, from one snapshot; a single row with a null `origin` if the page is
 * empty. Each row contains its position (`stored`, `sent_at`, `sent_id`), and whether messages follow the page. `$3`
 * skip, `$4` limit, `$5` to `$7` the position of the message before the page; `$5` null: from the first message. With a
 * position, `$3` is 0.
 */
export const FIND_CONVERSATION_PAGE = `
  WITH counted AS (
    SELECT coalesce(max(stored_messages), 0) AS messages, coalesce(max(last_position), 0) AS last_position,
      (SELECT count(*)::integer FROM ${SENT}) AS sent
    FROM execution_sessions WHERE organization_id = $1 AND execution_id = $2
  ), next AS (
    SELECT *, count(*) OVER () > $4::integer AS more FROM (
      SELECT * FROM (
        (SELECT 'stored' AS origin, position, NULL::timestamptz AS sent_at, NULL AS sent_id, message
         FROM ${STORED} AND position > coalesce($5::bigint, 0)
         ORDER BY position OFFSET $3::integer LIMIT $4::integer + 1)
        UNION ALL
        (SELECT 'sent', NULL, created_at, message_id, message
         FROM ${SENT} AND ($6::timestamptz IS NULL OR (created_at, message_id) > ($6::timestamptz, $7))
         ORDER BY created_at, message_id
         OFFSET greatest($3::integer - (SELECT messages FROM counted), 0) LIMIT $4::integer + 1)
      ) following ORDER BY ${ORDER} LIMIT $4::integer + 1
    ) window_of_page
  )
  SELECT counted.messages + counted.sent AS total, page.origin, page.message, page.more,
    coalesce(page.position, counted.last_position)::text AS stored,
    coalesce(page.sent_at, $6::timestamptz)::text AS sent_at, coalesce(page.sent_id, $7) AS sent_id
  FROM counted LEFT JOIN (SELECT * FROM next ORDER BY ${ORDER} LIMIT $4::integer) page ON true
  ORDER BY page.origin = 'sent', page.position, page.sent_at, page.sent_id`;

/** Returns the `ConversationSize`. `$1` organization, `$2` execution. */
export const MEASURE_CONVERSATION = `
  SELECT coalesce((SELECT stored_messages FROM execution_sessions WHERE organization_id = $1 AND execution_id = $2), 0)
      + count(*)::integer AS messages,
    coalesce(sum(octet_length(message::text)), 0)::integer AS "sentBytes"
  FROM ${SENT}`;

/** Maximum number of executions whose messages are read for the earlier messages of a session. */
const MAX_EARLIER_EXECUTIONS = 50;

/**
 * Whether an execution precedes `own` in its session. An execution that its worker has not yet added to the session
 * follows those that were created before it.
 */
const IS_EARLIER = `CASE WHEN own.turn IS NOT NULL AND execution.session_id = $3
      THEN (execution.session_turn, execution.created_at, execution.id) < (own.turn, own.created_at, own.id)
      ELSE execution.created_at < own.created_at END`;

/**
 * Returns the stored messages of earlier executions with the same session id and the same user, newest first, then those
 * with which the session began, up to `$4` bytes together. Executions of the session are in the order of their turns.
 * `$1` organization, `$2` execution, `$3` session id.
 */
export const FIND_EARLIER_MESSAGES = `
  WITH own AS (
    SELECT user_id, created_at, id, CASE WHEN session_id = $3 THEN session_turn END AS turn
    FROM executions WHERE organization_id = $1 AND id = $2
  ), earlier AS (
    SELECT coalesce(execution.session_turn, 0) AS turn, execution.created_at, execution.id,
      sum(session.stored_bytes) OVER (
        ORDER BY coalesce(execution.session_turn, 0) DESC, execution.created_at DESC, execution.id DESC
      ) - session.stored_bytes AS bytes_after
    FROM execution_sessions session
    JOIN executions execution ON execution.organization_id = session.organization_id AND execution.id = session.execution_id
    JOIN own ON own.user_id = execution.user_id AND ${IS_EARLIER}
    WHERE session.organization_id = $1 AND session.session_id = $3
    ORDER BY turn DESC, execution.created_at DESC, execution.id DESC LIMIT ${MAX_EARLIER_EXECUTIONS}
  )
  SELECT message FROM (
    SELECT message, turn, created_at, id, position,
      sum(bytes) OVER (ORDER BY turn DESC, created_at DESC, id DESC, position DESC) AS bytes
    FROM (
      SELECT stored.message, stored.bytes, earlier.turn, earlier.created_at, earlier.id, stored.position
      FROM earlier
      JOIN session_messages stored ON stored.organization_id = $1 AND stored.execution_id = earlier.id
      WHERE earlier.bytes_after < $4
      UNION ALL
      SELECT copied.message, copied.bytes, -1, session.created_at, session.id, copied.position
      FROM own
      JOIN user_sessions session
        ON session.organization_id = $1 AND session.user_id = own.user_id AND session.session_id = $3
      JOIN user_session_messages copied ON copied.organization_id = $1 AND copied.user_session_id = session.id
    ) message
  ) measured
  WHERE bytes <= $4 ORDER BY turn DESC, created_at DESC, id DESC, position DESC`;
