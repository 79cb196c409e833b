import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'ix_executions_organization_id_open_trace';

/** The executions that have not ended, by the id of their trace. The table is large, so the index is built beside its writes. */
export class TracesOfOpenExecutions1800000079200 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves an index that no statement uses.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
    await runner.query(`
      CREATE INDEX CONCURRENTLY ${NAME} ON executions (organization_id, substr(traceparent, 4, 32))
      WHERE traceparent IS NOT NULL AND status IN ('pending', 'running', 'waiting_for_input', 'paused')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
