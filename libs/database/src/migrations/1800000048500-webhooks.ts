import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Webhooks1800000048500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id text NOT NULL,
        organization_id text NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        job_ids text[] NOT NULL,
        agent_ids text[] NOT NULL,
        description text,
        status text NOT NULL,
        disabled_reason text,
        active_since timestamptz(3) NOT NULL,
        secret text NOT NULL,
        previous_secret text,
        previous_secret_expires_at timestamptz(3),
        created_by text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_webhooks PRIMARY KEY (id)
      );
      CREATE INDEX ix_webhooks_organization_id_created_at ON webhooks (organization_id, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhooks;');
  }
}
