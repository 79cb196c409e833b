import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The user for whom webhook and cron runs act. For existing jobs, this is the user of the last change of any kind: a
 * run must act only for the author of what it runs.
 */
export class JobUsers1800000016600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs ADD COLUMN runs_as text, ADD COLUMN runs_as_email text;
      UPDATE jobs SET runs_as = updated_by, runs_as_email = updated_by_email;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN runs_as, DROP COLUMN runs_as_email');
  }
}
