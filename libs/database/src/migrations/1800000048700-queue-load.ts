import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a lease began, and samples of the load of worker queues. For existing leases, the beginning is only approximate.
 */
export class QueueLoad1800000048700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ADD COLUMN leased_at timestamptz(3);
      UPDATE executions SET leased_at = coalesce(started_at, updated_at) WHERE lease_expires_at IS NOT NULL;
      CREATE TABLE worker_queue_samples (
        organization_id text NOT NULL,
        worker_queue_id text NOT NULL,
        at timestamptz(3) NOT NULL,
        waiting integer NOT NULL,
        oldest_waiting_at timestamptz(3),
        running integer NOT NULL,
        workers integer NOT NULL,
        CONSTRAINT pk_worker_queue_samples PRIMARY KEY (organization_id, worker_queue_id, at)
      );
      CREATE INDEX ix_worker_queue_samples_at ON worker_queue_samples (at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE worker_queue_samples;
      ALTER TABLE executions DROP COLUMN leased_at;
    `);
  }
}
