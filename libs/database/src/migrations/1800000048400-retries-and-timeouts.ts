import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which failures of an execution are retried and when, and how long an attempt may run. */
export class RetriesAndTimeouts1800000048400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions
        ADD COLUMN retry_on text[] NOT NULL DEFAULT '{lost}',
        ADD COLUMN retry_delay_ms integer NOT NULL DEFAULT 5000,
        ADD COLUMN retry_factor smallint NOT NULL DEFAULT 2,
        ADD COLUMN timeout_ms integer,
        ADD COLUMN timeout_left_ms integer,
        ADD COLUMN timeout_at timestamptz(3);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    const columns = ['retry_on', 'retry_delay_ms', 'retry_factor', 'timeout_ms', 'timeout_left_ms', 'timeout_at'];
    await runner.query(`ALTER TABLE executions ${columns.map((column) => `DROP COLUMN ${column}`).join(', ')};`);
  }
}
