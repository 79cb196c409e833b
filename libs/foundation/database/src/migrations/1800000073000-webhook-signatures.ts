import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How the calls of a job's webhook are authenticated. */
export class WebhookSignatures1800000073000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE jobs ADD COLUMN webhook_signature text NOT NULL DEFAULT 'standard'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN webhook_signature');
  }
}
