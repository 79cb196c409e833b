import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The execution from which each message of a forked session comes. */
export class ExecutionsOfCopiedMessages1800000079100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_session_messages ADD COLUMN execution_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_session_messages DROP COLUMN execution_id');
  }
}
