import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the key that set an `execution_environment` had the scope `agents:write`. False for existing rows, of which
 * this is not known: variables that they add still apply, and overrides apply again once a key with this scope stores
 * the job.
 */
export class EnvironmentOverrides1800000016500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ADD COLUMN may_override_environment boolean NOT NULL DEFAULT false;
      ALTER TABLE jobs ADD COLUMN may_override_environment boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE jobs DROP COLUMN may_override_environment;
      ALTER TABLE executions DROP COLUMN may_override_environment;
    `);
  }
}
