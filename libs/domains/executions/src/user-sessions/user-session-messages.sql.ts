/** The session. `$1` organization, `$2` id. */
const SESSION = `session AS (SELECT * FROM user_sessions WHERE organization_id = $1 AND id = $2)`;

/** The executions of the session. */
const EXECUTIONS = `executions e JOIN session
    ON e.organization_id = $1 AND e.user_id = session.user_id AND e.session_id = session.session_id
      AND e.session_turn IS NOT NULL`;

/**
 * The parts of the conversation of a session with their numbers of messages: the copied ones, then each execution.
 */
const PARTS = `parts AS (
    SELECT 0 AS turn, created_at AS at, '' AS part, copied_messages AS messages FROM session
    UNION ALL
    SELECT e.session_turn, e.created_at, e.id, coalesce(stored.stored_messages, 0) + (
        SELECT count(*)::integer FROM execution_messages sent
        WHERE sent.organization_id = $1 AND sent.execution_id = e.id AND NOT sent.is_stored
      )
    FROM ${EXECUTIONS}
    LEFT JOIN execution_sessions stored ON stored.organization_id = $1 AND stored.execution_id = e.id
  )`;

/** The messages of `part`; the sent ones, which have no position yet, follow the stored ones. */
const MESSAGES_OF_PART = `
    SELECT 'copied' AS origin, 0 AS rank, position, NULL::timestamptz AS sent_at, '' AS sent_id, message_id, message,
      bytes, execution_id
    FROM user_session_messages WHERE part.part = '' AND organization_id = $1 AND user_session_id = $2
    UNION ALL
    SELECT 'stored', 1, position, NULL, '', message_id, message, bytes, execution_id
    FROM session_messages WHERE organization_id = $1 AND execution_id = part.part
    UNION ALL
    SELECT 'sent', 2, 0, created_at, message_id, message_id, message, octet_length(message::text), execution_id
    FROM execution_messages WHERE organization_id = $1 AND execution_id = part.part AND NOT is_stored`;

const ORDER = `turn, at, part, rank, position, sent_at, sent_id`;

/** Returns the number of messages of a session as `total`. `$1` organization, `$2` id. */
export const COUNT_SESSION_MESSAGES = `
  WITH ${SESSION}, ${PARTS} SELECT coalesce(sum(messages), 0)::integer AS total FROM parts`;

/**
 * Returns a page of the messages of a session and one more. `$1` organization, `$2` id, `$3` skip, `$4` limit, `$5` to
 * `$11` the place of the message before the page (turn, time, part, rank, position, time and id of a sent message); `$5`
 * null: from the first message. With a place, `$3` is 0.
 */
export const FIND_SESSION_MESSAGES = `
  WITH ${SESSION}, ${PARTS}, remaining AS (
    SELECT *, CASE WHEN part = $7 THEN 0 ELSE messages END AS unread FROM parts
    WHERE $5::integer IS NULL OR (turn, at, part) >= ($5::integer, $6::timestamptz, $7)
  ), needed AS (
    SELECT *, sum(unread) OVER (ORDER BY turn, at, part) - unread AS unread_before FROM remaining
  )
  SELECT message.message, message.execution_id, part.turn::text AS turn, part.at::text AS at, part.part, message.rank::text AS rank,
    message.position::text AS position, message.sent_at::text AS sent_at, message.sent_id
  FROM needed part CROSS JOIN LATERAL (${MESSAGES_OF_PART}) message
  WHERE part.messages > 0 AND part.unread_before <= $3::integer + $4::integer AND (
    $5::integer IS NULL OR (part.turn, part.at, part.part) > ($5::integer, $6::timestamptz, $7) OR message.rank > $8::integer
    OR message.rank = $8::integer AND message.rank < 2 AND message.position > $9::bigint
    OR message.rank = $8::integer AND message.rank = 2 AND (message.sent_at, message.sent_id) > ($10::timestamptz, $11::text))
  ORDER BY part.turn, part.at, part.part, message.rank, message.position, message.sent_at, message.sent_id
  OFFSET $3::integer LIMIT $4::integer + 1`;

/** The message of a row of `numbered`. */
const NUMBERED_MESSAGE = `CASE numbered.origin
      WHEN 'copied' THEN (SELECT message FROM user_session_messages
        WHERE organization_id = $1 AND user_session_id = $2 AND position = numbered.position)
      WHEN 'stored' THEN (SELECT message FROM session_messages
        WHERE organization_id = $1 AND execution_id = numbered.part AND position = numbered.position)
      ELSE (SELECT message FROM execution_messages
        WHERE organization_id = $1 AND execution_id = numbered.part AND message_id = numbered.sent_id)
    END`;

/**
 * Copies the messages of a session up to the newest one with an id, or all, to another session, unless they exceed a
 * limit. Numbers the messages without their contents, which can be many times larger than the limit. Returns a `CopiedSize`. `$1` organization, `$2` id, `$3` id of the other session, `$4` message id or null, `$5`
 * and `$6` maximum number and size.
 */
export const COPY_MESSAGES = `
  WITH ${SESSION}, ${PARTS}, numbered AS MATERIALIZED (
    SELECT origin, part, position, sent_id, message_id, execution_id, bytes, row_number() OVER in_order AS place,
      sum(bytes) OVER in_order AS size
    FROM parts part CROSS JOIN LATERAL (${MESSAGES_OF_PART}) message
    WINDOW in_order AS (ORDER BY ${ORDER})
  ), last AS (
    SELECT place, size FROM numbered WHERE $4::text IS NULL OR message_id = $4 ORDER BY place DESC LIMIT 1
  ), copied AS (
    INSERT INTO user_session_messages (organization_id, user_session_id, position, message_id, execution_id, message, bytes)
    SELECT $1, $3, numbered.place, message_id, execution_id, ${NUMBERED_MESSAGE}, bytes FROM numbered, last
    WHERE numbered.place <= last.place AND last.place <= $5 AND last.size <= $6
  )
  SELECT (SELECT place FROM last)::integer AS messages, coalesce((SELECT size FROM last), 0)::double precision AS bytes`;

/** Returns the newest copied messages, oldest first. `$1` organization, `$2` session, `$3` limit. */
export const FIND_NEWEST_COPIED = `
  SELECT message FROM (
    SELECT message, position FROM user_session_messages WHERE organization_id = $1 AND user_session_id = $2
    ORDER BY position DESC LIMIT $3
  ) newest ORDER BY position`;
