import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs that continue a session look up the earlier ones by its id. */
export class SessionIds1800000049300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_execution_sessions_session_id ON execution_sessions (organization_id, session_id)
        WHERE session_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_execution_sessions_session_id');
  }
}
