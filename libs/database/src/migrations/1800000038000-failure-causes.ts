import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The cause of a failure, for counting the failures of a period by cause and for listing the executions of a cause. For
 * executions that failed before, a periodic task adds the cause, because only the platform can compute it.
 */
export class FailureCauses1800000038000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ADD COLUMN cause text;
      CREATE INDEX ix_executions_organization_id_cause ON executions (organization_id, cause, created_at, id)
        WHERE status = 'failed';
      CREATE INDEX ix_executions_organization_id_failed
        ON executions (organization_id, completed_at, cause, entity_id, job_id, worker_queue_id)
        WHERE status = 'failed';
      CREATE INDEX ix_executions_without_cause ON executions (organization_id) WHERE status = 'failed' AND cause IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_executions_without_cause;
      DROP INDEX ix_executions_organization_id_failed;
      DROP INDEX ix_executions_organization_id_cause;
      ALTER TABLE executions DROP COLUMN cause;
    `);
  }
}
