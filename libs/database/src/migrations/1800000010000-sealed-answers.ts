import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SealedAnswers1800000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys ADD COLUMN sealed_body bytea;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN sealed_body;');
  }
}
