import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'ix_executions_organization_id_session_id';

/** The list of the executions of a session. The table is large, so the index is built beside its writes. */
export class ExecutionsOfSessions1800000079000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves an index that no statement uses.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
    await runner.query(`
      CREATE INDEX CONCURRENTLY ${NAME} ON executions (organization_id, session_id, created_at, id, status, execution_type)
      WHERE session_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
