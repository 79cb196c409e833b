import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the messages of a session as an array, so that a page is read by position and without parsing all messages.
 */
export class SessionMessagePositions1800000019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE execution_sessions RENAME COLUMN messages TO message_list;
      ALTER TABLE execution_sessions
        ADD COLUMN messages json[] NOT NULL DEFAULT '{}',
        ADD COLUMN message_positions bigint[] NOT NULL DEFAULT '{}',
        ADD COLUMN last_position bigint NOT NULL DEFAULT 0;
      UPDATE execution_sessions SET
        messages = ARRAY(SELECT value FROM json_array_elements(message_list) WITH ORDINALITY ORDER BY ordinality),
        message_positions = ARRAY(SELECT generate_series(1, json_array_length(message_list))),
        last_position = json_array_length(message_list);
      ALTER TABLE execution_sessions DROP COLUMN message_list;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE execution_sessions RENAME COLUMN messages TO message_array;
      ALTER TABLE execution_sessions ADD COLUMN messages json;
      UPDATE execution_sessions SET messages = to_json(message_array);
      ALTER TABLE execution_sessions
        ALTER COLUMN messages SET NOT NULL,
        DROP COLUMN message_array, DROP COLUMN message_positions, DROP COLUMN last_position;
    `);
  }
}
