import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reads the text: a JSON operator fails on a message that contains an unpaired surrogate. */
const BACKFILL = `
  UPDATE execution_sessions SET message_ids = ARRAY(
    SELECT found[1] FROM regexp_matches(messages::text, '"message_id":"([^"\\\\]*)"', 'g') AS found
  );`;

export class SessionMessageIds1800000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE execution_sessions ADD COLUMN message_ids text[] NOT NULL DEFAULT '{}';`);
    await runner.query(BACKFILL);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE execution_sessions DROP COLUMN message_ids;');
  }
}
