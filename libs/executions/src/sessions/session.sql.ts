/** Sent messages that the worker has not stored. An anti-join, because both sides may be large. */
const SENT = `execution_messages sent
    WHERE sent.organization_id = $1 AND sent.execution_id = $2 AND NOT EXISTS (
      SELECT 1 FROM execution_sessions session, unnest(session.message_ids) AS stored (id)
      WHERE session.organization_id = $1 AND session.execution_id = $2 AND stored.id = sent.message_id)`;

/** The stored messages, then the sent ones that are not stored. `$1` organization, `$2` execution. */
const CONVERSATION = `
  WITH conversation AS (
    SELECT 'stored' AS origin, element.ordinal, element.message
    FROM execution_sessions, unnest(messages) WITH ORDINALITY AS element (message, ordinal)
    WHERE organization_id = $1 AND execution_id = $2
    UNION ALL
    SELECT 'sent', row_number() OVER (ORDER BY sent.created_at, sent.message_id), sent.message
    FROM ${SENT}
  )`;

/** Each `message` of the conversation in order. */
export const FIND_CONVERSATION = `${CONVERSATION} SELECT message FROM conversation ORDER BY origin = 'sent', ordinal`;

/**
 * The messages after a position, up to `$6` bytes together and at least one: the stored ones, then the sent ones that are
 * not stored. `remaining` counts all messages after the position. `$3` position of the last stored message, `$4` and `$5`
 * time and id of the last sent message; `$4` null: all sent messages.
 */
export const FIND_CONVERSATION_AFTER = `
  WITH conversation AS (
    SELECT 'stored' AS origin, element.position, NULL::timestamptz AS sent_at, NULL AS sent_id, element.message
    FROM execution_sessions, unnest(messages, message_positions) AS element (message, position)
    WHERE organization_id = $1 AND execution_id = $2 AND element.position > $3::bigint
    UNION ALL
    SELECT 'sent', NULL, sent.created_at, sent.message_id, sent.message
    FROM ${SENT} AND ($4::timestamptz IS NULL OR (sent.created_at, sent.message_id) > ($4, $5))
  )
  SELECT position, sent_at, sent_id, message, remaining FROM (
    SELECT conversation.*, count(*) OVER ()::integer AS remaining,
      sum(octet_length(message::text)) OVER (ORDER BY origin = 'sent', position, sent_at, sent_id)
        - octet_length(message::text) AS bytes_before
    FROM conversation
  ) measured
  WHERE bytes_before < $6 ORDER BY origin = 'sent', position, sent_at, sent_id`;

/** The messages with their positions: the stored ones, then the sent ones that are not stored. */
const POSITIONED_CONVERSATION = `
  WITH conversation AS (
    SELECT 'stored' AS origin, element.position, NULL::timestamptz AS sent_at, NULL AS sent_id, element.message
    FROM execution_sessions, unnest(messages, message_positions) AS element (message, position)
    WHERE organization_id = $1 AND execution_id = $2
    UNION ALL
    SELECT 'sent', NULL, sent.created_at, sent.message_id, sent.message FROM ${SENT}
  )`;

/**
 * A page of the messages and the `total`, in one snapshot; a single row with a null `origin` if the page is empty. Each row
 * has its position (`stored`, `sent_at`, `sent_id`), and whether messages follow the page. `$3` skip, `$4` limit, `$5` to
 * `$7` the position of the message before the page; `$5` null: from the first message.
 */
export const FIND_CONVERSATION_PAGE = `${POSITIONED_CONVERSATION}
  SELECT counted.total, page.origin, page.message, page.more, coalesce(page.position, counted.stored, 0)::text AS stored,
    coalesce(page.sent_at, $6::timestamptz)::text AS sent_at, coalesce(page.sent_id, $7) AS sent_id
  FROM (SELECT count(*)::integer AS total, max(position) AS stored FROM conversation) counted
  LEFT JOIN (
    SELECT *, count(*) OVER () > $3::integer + $4::integer AS more FROM conversation
    WHERE CASE WHEN $5::bigint IS NULL THEN true WHEN origin = 'stored' THEN position > $5::bigint
      ELSE $6::timestamptz IS NULL OR (sent_at, sent_id) > ($6::timestamptz, $7) END
    ORDER BY origin = 'sent', position, sent_at, sent_id OFFSET $3::integer LIMIT $4::integer
  ) page ON true
  ORDER BY page.origin = 'sent', page.position, page.sent_at, page.sent_id`;

/** The `ConversationSize`. `$1` organization, `$2` execution. */
export const MEASURE_CONVERSATION = `
  SELECT coalesce((SELECT cardinality(messages) FROM execution_sessions
                   WHERE organization_id = $1 AND execution_id = $2), 0) + count(*)::integer AS messages,
    coalesce(sum(octet_length(sent.message::text)), 0)::integer AS "sentBytes"
  FROM ${SENT}`;

/** The number of messages at the beginning of the list that were stored before. */
const KEPT = `(
    SELECT coalesce(min(ordinal) - 1, cardinality(excluded.messages))
    FROM unnest(session.messages, excluded.messages) WITH ORDINALITY AS pair (stored, given, ordinal)
    WHERE stored::text IS DISTINCT FROM given::text
  )`;

/**
 * Inserts or updates a session, and returns the `ExecutionSession`; null keeps a value. `$1` organization, `$2` execution,
 * `$3` session id, `$4` user id, `$5` messages as JSON, `$6` metadata as JSON, `$7` now, `$8` ids of the messages.
 */
export const SAVE_SESSION = `
  INSERT INTO execution_sessions AS session
    (organization_id, execution_id, session_id, user_id, messages, message_positions, last_position, message_ids, metadata,
     created_at, updated_at)
  SELECT $1, $2, $3, $4, given.messages, ARRAY(SELECT generate_series(1, cardinality(given.messages))),
    cardinality(given.messages), coalesce($8::text[], '{}'), coalesce($6::json, '{}'), $7, $7
  FROM (SELECT ARRAY(
    SELECT value FROM json_array_elements(coalesce($5::json, '[]')) WITH ORDINALITY ORDER BY ordinality
  ) AS messages) given
  ON CONFLICT (organization_id, execution_id) DO UPDATE SET
    session_id = coalesce($3, session.session_id), user_id = coalesce($4, session.user_id),
    messages = CASE WHEN $5::json IS NULL THEN session.messages ELSE excluded.messages END,
    (message_positions, last_position) = (
      SELECT session.message_positions[1:kept] ||
          ARRAY(SELECT generate_series(session.last_position + 1, session.last_position + changed)),
        session.last_position + changed
      FROM (SELECT kept, cardinality(excluded.messages) - kept AS changed FROM (SELECT ${KEPT}::integer AS kept) counted
            WHERE $5::json IS NOT NULL
            UNION ALL SELECT cardinality(session.messages), 0 WHERE $5::json IS NULL) replaced
    ),
    message_ids = coalesce($8::text[], session.message_ids), metadata = coalesce($6::json, session.metadata),
    updated_at = $7
  RETURNING execution_id, session_id, user_id, to_json(messages) AS messages, metadata, created_at, updated_at`;

/** The number of the stored messages and their size in bytes, as `StoredSize`. `$1` organization, `$2` execution. */
export const MEASURE_STORED = `
  SELECT cardinality(messages) AS messages,
    coalesce((SELECT sum(octet_length(message::text)) FROM unnest(messages) AS stored (message)), 0)::integer AS bytes
  FROM execution_sessions WHERE organization_id = $1 AND execution_id = $2`;

/**
 * Appends messages to a session, or inserts it; leaves out messages whose ids are stored. Returns how many are stored
 * then. `$1` organization, `$2` execution, `$3` session id or null to keep it, `$4` messages as JSON, `$5` their ids in
 * the same order, each once, `$6` now.
 */
export const APPEND_MESSAGES = `
  INSERT INTO execution_sessions AS session
    (organization_id, execution_id, session_id, user_id, messages, message_positions, last_position, message_ids, metadata,
     created_at, updated_at)
  SELECT $1, $2, $3, NULL, fresh.messages, ARRAY(SELECT generate_series(1, cardinality(fresh.ids))),
    cardinality(fresh.ids), fresh.ids, '{}', $6, $6
  FROM (
    SELECT coalesce(array_agg(given.message ORDER BY given.ordinal), '{}') AS messages,
      coalesce(array_agg(given.id ORDER BY given.ordinal), '{}') AS ids
    FROM ROWS FROM (json_array_elements($4::json), unnest($5::text[])) WITH ORDINALITY AS given (message, id, ordinal)
    WHERE NOT EXISTS (
      SELECT 1 FROM execution_sessions known, unnest(known.message_ids) AS stored (id)
      WHERE known.organization_id = $1 AND known.execution_id = $2 AND stored.id = given.id)
  ) fresh
  ON CONFLICT (organization_id, execution_id) DO UPDATE SET
    session_id = coalesce($3, session.session_id),
    messages = session.messages || excluded.messages,
    message_positions = session.message_positions ||
      ARRAY(SELECT generate_series(session.last_position + 1, session.last_position + excluded.last_position)),
    last_position = session.last_position + excluded.last_position,
    message_ids = session.message_ids || excluded.message_ids, updated_at = $6
  RETURNING cardinality(messages) AS messages`;

/** Sessions that are read for the earlier messages of a session, and the size of their compressed messages. */
const MAX_EARLIER_EXECUTIONS = 50;
const MAX_EARLIER_STORED_BYTES = 1_048_576;

/**
 * The stored messages of earlier executions with the same session id and the same user, newest first, up to `$4` bytes
 * together. `$1` organization, `$2` execution, `$3` session id.
 */
export const FIND_EARLIER_MESSAGES = `
  WITH own AS (
    SELECT user_id, created_at FROM executions WHERE organization_id = $1 AND id = $2
  ), earlier AS (
    SELECT execution.created_at, execution.id, session.messages,
      sum(pg_column_size(session.messages)) OVER (ORDER BY execution.created_at DESC, execution.id DESC)
        - pg_column_size(session.messages) AS bytes_after
    FROM execution_sessions session
    JOIN executions execution ON execution.organization_id = session.organization_id AND execution.id = session.execution_id
    JOIN own ON own.user_id = execution.user_id AND execution.created_at < own.created_at
    WHERE session.organization_id = $1 AND session.session_id = $3
    ORDER BY execution.created_at DESC, execution.id DESC LIMIT ${MAX_EARLIER_EXECUTIONS}
  )
  SELECT message FROM (
    SELECT message, created_at, id, ordinal,
      sum(octet_length(message::text)) OVER (ORDER BY created_at DESC, id DESC, ordinal DESC) AS bytes
    FROM earlier, unnest(messages) WITH ORDINALITY AS element (message, ordinal)
    WHERE bytes_after < ${MAX_EARLIER_STORED_BYTES}
  ) measured
  WHERE bytes <= $4 ORDER BY created_at DESC, id DESC, ordinal DESC`;
