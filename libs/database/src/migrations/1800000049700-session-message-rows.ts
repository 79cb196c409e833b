import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Without the lock, a message that a process of an earlier version stores during the copy would be lost. */
const LOCK = 'LOCK TABLE execution_sessions IN ACCESS EXCLUSIVE MODE;';

const TABLE = `
  CREATE TABLE session_messages (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    position bigint NOT NULL,
    message_id text,
    message json NOT NULL,
    bytes integer NOT NULL,
    CONSTRAINT pk_session_messages PRIMARY KEY (organization_id, execution_id, position)
  );`;

/**
 * The text of a message without the escapes of surrogates and NUL, because JSON operators fail on an unpaired
 * surrogate. An escaped backslash is matched first, so that the characters after it are not read as an escape.
 */
const READABLE = String.raw`CASE WHEN strpos(message::text, '\u') = 0 THEN message
  ELSE regexp_replace(message::text, '(\\\\)|\\u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000)', '\1', 'g')::json END`;

/** Ids over 255 characters are not stored: no request can name such a message, and an index entry has a size limit. */
const FILL = `
  INSERT INTO session_messages (organization_id, execution_id, position, message_id, message, bytes)
  SELECT organization_id, execution_id, position,
    CASE WHEN json_typeof(readable -> 'message_id') = 'string' AND length(readable ->> 'message_id') <= 255
      THEN readable ->> 'message_id' END,
    message, octet_length(message::text)
  FROM execution_sessions, unnest(messages, message_positions) AS element (message, position),
    LATERAL (SELECT ${READABLE} AS readable OFFSET 0) parsed;`;

/** Empties the lists before their columns are dropped: a dropped column keeps its storage until the row is updated. */
const COUNT = `
  ALTER TABLE execution_sessions
    ADD COLUMN stored_messages integer NOT NULL DEFAULT 0,
    ADD COLUMN stored_bytes bigint NOT NULL DEFAULT 0;
  UPDATE execution_sessions session SET stored_messages = stored.messages, stored_bytes = stored.bytes,
    messages = '{}', message_positions = '{}', message_ids = '{}'
  FROM (
    SELECT organization_id, execution_id, count(*) AS messages, sum(bytes) AS bytes FROM session_messages GROUP BY 1, 2
  ) stored
  WHERE stored.organization_id = session.organization_id AND stored.execution_id = session.execution_id;
  ALTER TABLE execution_sessions DROP COLUMN messages, DROP COLUMN message_positions, DROP COLUMN message_ids;`;

const MARK_SENT = `
  ALTER TABLE execution_messages ADD COLUMN is_stored boolean NOT NULL DEFAULT false;
  UPDATE execution_messages sent SET is_stored = true FROM session_messages stored
  WHERE stored.organization_id = sent.organization_id AND stored.execution_id = sent.execution_id
    AND stored.message_id = sent.message_id;`;

const INDEXES = `
  CREATE INDEX ix_session_messages_message_id ON session_messages (organization_id, execution_id, message_id)
    WHERE message_id IS NOT NULL;
  CREATE INDEX ix_execution_messages_unstored ON execution_messages (organization_id, execution_id, created_at, message_id)
    WHERE NOT is_stored;`;

const LISTS = `
  ALTER TABLE execution_sessions
    ADD COLUMN messages json[] NOT NULL DEFAULT '{}',
    ADD COLUMN message_positions bigint[] NOT NULL DEFAULT '{}',
    ADD COLUMN message_ids text[] NOT NULL DEFAULT '{}';
  UPDATE execution_sessions session SET messages = stored.messages, message_positions = stored.positions,
    message_ids = stored.ids
  FROM (
    SELECT organization_id, execution_id, array_agg(message ORDER BY position) AS messages,
      array_agg(position ORDER BY position) AS positions,
      coalesce(array_agg(message_id ORDER BY position) FILTER (WHERE message_id IS NOT NULL), '{}') AS ids
    FROM session_messages GROUP BY 1, 2
  ) stored
  WHERE stored.organization_id = session.organization_id AND stored.execution_id = session.execution_id;
  DROP TABLE session_messages;
  DROP INDEX ix_execution_messages_unstored;
  ALTER TABLE execution_messages DROP COLUMN is_stored;
  ALTER TABLE execution_sessions DROP COLUMN stored_messages, DROP COLUMN stored_bytes;`;

/** A row per message, so that storing a message does not write the others again, and a page is read by its position. */
export class SessionMessageRows1800000049700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const text of [LOCK, TABLE, FILL, COUNT, MARK_SENT, INDEXES]) await runner.query(text);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(LISTS);
  }
}
