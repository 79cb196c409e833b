import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `webhook_storage`: the sum of the `bytes` of the deliveries and events of an organization. Triggers on both tables keep
 * it, also when the deliveries of a webhook are deleted with it. `bytes` never changes, so recording an attempt does not
 * change the sum. A statement that changes rows of several organizations locks their sums in the order of their ids.
 */
export class WebhookStorage1800000063100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_storage (
        organization_id text NOT NULL,
        bytes bigint NOT NULL,
        CONSTRAINT pk_webhook_storage PRIMARY KEY (organization_id)
      );
      ALTER TABLE webhook_deliveries ADD COLUMN bytes integer NOT NULL DEFAULT 2048;
      ALTER TABLE webhook_events ADD COLUMN bytes integer NOT NULL DEFAULT 0;
      CREATE FUNCTION note_webhook_storage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO webhook_storage (organization_id, bytes)
        SELECT organization_id, sum(TG_ARGV[0]::bigint * bytes) FROM changed_rows
        GROUP BY organization_id ORDER BY organization_id
        ON CONFLICT (organization_id) DO UPDATE SET bytes = webhook_storage.bytes + EXCLUDED.bytes;
        RETURN NULL;
      END $$;
      CREATE TRIGGER tr_webhook_deliveries_insert AFTER INSERT ON webhook_deliveries
        REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_webhook_storage('1');
      CREATE TRIGGER tr_webhook_deliveries_delete AFTER DELETE ON webhook_deliveries
        REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_webhook_storage('-1');
      CREATE TRIGGER tr_webhook_events_insert AFTER INSERT ON webhook_events
        REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_webhook_storage('1');
      CREATE TRIGGER tr_webhook_events_delete AFTER DELETE ON webhook_events
        REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_webhook_storage('-1');
      INSERT INTO webhook_storage (organization_id, bytes)
        SELECT organization_id, sum(bytes) FROM (
          SELECT organization_id, bytes FROM webhook_deliveries
          UNION ALL SELECT organization_id, bytes FROM webhook_events
        ) stored GROUP BY organization_id;
      CREATE INDEX ix_webhook_deliveries_ended ON webhook_deliveries (organization_id, created_at)
        WHERE status <> 'pending' AND bytes > 0;
      CREATE INDEX ix_webhook_deliveries_refused ON webhook_deliveries (organization_id, created_at) WHERE bytes = 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER tr_webhook_events_delete ON webhook_events;
      DROP TRIGGER tr_webhook_events_insert ON webhook_events;
      DROP TRIGGER tr_webhook_deliveries_delete ON webhook_deliveries;
      DROP TRIGGER tr_webhook_deliveries_insert ON webhook_deliveries;
      DROP FUNCTION note_webhook_storage();
      DROP TABLE webhook_storage;
      DROP INDEX ix_webhook_deliveries_ended;
      DROP INDEX ix_webhook_deliveries_refused;
      ALTER TABLE webhook_deliveries DROP COLUMN bytes;
      ALTER TABLE webhook_events DROP COLUMN bytes;
    `);
  }
}
