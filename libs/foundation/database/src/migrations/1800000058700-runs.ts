import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Samples of the load of worker queues. */
export class Runs1800000058700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
    await runner.query('DROP TABLE worker_queue_samples;');
  }
}
