import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An integer holds at most 24.8 days in milliseconds; a double is exact for every integer that JSON can represent. */
export class LongDurations1800000013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ALTER COLUMN duration_ms TYPE double precision;
      ALTER TABLE task_records ALTER COLUMN duration_ms TYPE double precision;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE task_records ALTER COLUMN duration_ms TYPE integer USING least(duration_ms, 2147483647);
      ALTER TABLE executions ALTER COLUMN duration_ms TYPE integer USING least(duration_ms, 2147483647);
    `);
  }
}
