import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Environments of a team itself, in addition to those of its members. */
export class TeamEnvironments1800000047200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE teams ADD COLUMN environment_ids text[] NOT NULL DEFAULT '{}';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE teams DROP COLUMN environment_ids;');
  }
}
