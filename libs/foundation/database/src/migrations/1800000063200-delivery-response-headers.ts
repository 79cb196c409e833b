import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliveryResponseHeaders1800000063200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries ADD COLUMN response_headers json;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN response_headers;');
  }
}
