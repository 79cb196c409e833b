import type { MigrationInterface, QueryRunner } from 'typeorm';

const OPEN = `status IN ('pending', 'running', 'waiting_for_input', 'paused')`;

/**
 * Indexes for the orders of execution summaries other than `created_at`, and for the children of an execution. Two
 * indexes contain only executions that have not ended, so that the longest running one is found without reading the
 * millions of ended ones.
 */
export class ExecutionSummaryIndexes1800000037000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_executions_organization_id_completed_at ON executions (organization_id, completed_at, id, status)
        WHERE completed_at IS NOT NULL;
      CREATE INDEX ix_executions_organization_id_open_created_at ON executions (organization_id, created_at, id, status) WHERE ${OPEN};
      CREATE INDEX ix_executions_organization_id_queued_at ON executions (organization_id, queued_at, id, status)
        WHERE queued_at IS NOT NULL AND ${OPEN};
      CREATE INDEX ix_executions_organization_id_parent ON executions (organization_id, parent_execution_id, created_at, id)
        WHERE parent_execution_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_executions_organization_id_parent;
      DROP INDEX ix_executions_organization_id_queued_at;
      DROP INDEX ix_executions_organization_id_open_created_at;
      DROP INDEX ix_executions_organization_id_completed_at;
    `);
  }
}
