import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the key that gave an `execution_environment` had `agents:write`. False for older rows, because this is not known:
 * their new variables still apply, and storing a job again with such a key restores the rest.
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
