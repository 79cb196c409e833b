import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a rotated key stops working; null for a key that was not rotated. */
export class SupersededKeys1800000043000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN superseded_at timestamptz(3);');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN superseded_at;');
  }
}
