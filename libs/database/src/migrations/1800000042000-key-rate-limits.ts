import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of an API key that differ from the settings; null for a key without any. */
export class KeyRateLimits1800000042000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN rate_limits json;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN rate_limits;');
  }
}
