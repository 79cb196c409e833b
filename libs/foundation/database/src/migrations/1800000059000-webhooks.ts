import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Webhooks1800000059000 implements MigrationInterface {
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

      CREATE TABLE webhook_deliveries (
        id text NOT NULL,
        organization_id text NOT NULL,
        webhook_id text NOT NULL,
        event_id text,
        event_type text NOT NULL,
        execution_id text,
        body text NOT NULL,
        status text NOT NULL,
        attempts integer NOT NULL,
        next_attempt_at timestamptz(3),
        request_headers json,
        response_status integer,
        response_ms integer,
        response_body text,
        error text,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id),
        CONSTRAINT uq_webhook_deliveries_webhook_id_event_id UNIQUE (webhook_id, event_id),
        CONSTRAINT fk_webhook_deliveries_webhook_id FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_webhook_deliveries_listed ON webhook_deliveries (organization_id, webhook_id, created_at, id);
      CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
      CREATE INDEX ix_webhook_deliveries_created_at ON webhook_deliveries (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_deliveries; DROP TABLE webhooks;');
  }
}
