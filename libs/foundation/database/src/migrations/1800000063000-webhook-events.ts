import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The body of an event is stored once, and not in each of its deliveries. Deliveries of an earlier version keep their
 * body. The version before cannot sign a delivery without a body, and leaves it to processes of this version.
 */
export class WebhookEvents1800000063000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_events (
        organization_id text NOT NULL,
        event_id text NOT NULL,
        body text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_webhook_events PRIMARY KEY (organization_id, event_id)
      );
      CREATE INDEX ix_webhook_events_created_at ON webhook_events (created_at);
      ALTER TABLE webhook_deliveries ALTER COLUMN body DROP NOT NULL;
      CREATE INDEX ix_webhook_deliveries_event_id ON webhook_deliveries (event_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE webhook_deliveries delivery SET body = coalesce(
          (SELECT event.body FROM webhook_events event
           WHERE event.organization_id = delivery.organization_id AND event.event_id = delivery.event_id), '')
        WHERE body IS NULL;
      DROP INDEX ix_webhook_deliveries_event_id;
      ALTER TABLE webhook_deliveries ALTER COLUMN body SET NOT NULL;
      DROP TABLE webhook_events;
    `);
  }
}
