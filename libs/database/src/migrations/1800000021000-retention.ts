import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for the deletion of old executions, and for live workers only. */
export class Retention1800000021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_executions_created_at_ended ON executions (created_at)
        WHERE status IN ('completed', 'failed', 'cancelled', 'terminated');
      ALTER TABLE workers ADD COLUMN dormant boolean NOT NULL DEFAULT false;
      CREATE INDEX ix_workers_worker_queue_id_awake ON workers (worker_queue_id)
        WHERE status <> 'disconnected' AND NOT dormant;
      DROP INDEX ix_workers_worker_queue_id_connected;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_workers_worker_queue_id_connected ON workers (worker_queue_id) WHERE status <> 'disconnected';
      DROP INDEX ix_workers_worker_queue_id_awake;
      ALTER TABLE workers DROP COLUMN dormant;
      DROP INDEX ix_executions_created_at_ended;
    `);
  }
}
