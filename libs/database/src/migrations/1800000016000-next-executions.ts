import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Existing schedules get a time that has passed: the periodic task then computes the next one. */
export class NextExecutions1800000016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs ADD COLUMN next_execution_at timestamptz(3);
      UPDATE jobs SET next_execution_at = updated_at
        WHERE enabled AND trigger_type = 'cron' AND cron_schedule IS NOT NULL;
      CREATE INDEX ix_jobs_next_execution_at ON jobs (next_execution_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN next_execution_at');
  }
}
