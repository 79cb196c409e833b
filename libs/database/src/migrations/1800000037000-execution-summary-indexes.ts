import type { MigrationInterface, QueryRunner } from 'typeorm';

const OPEN = `status IN ('pending', 'running', 'waiting_for_input', 'paused')`;

/**
 * The orders of execution summaries besides `created_at`, and the children of an execution. Two indexes have open executions
 * only: the longest running one among a million that have ended is found without reading those.
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
