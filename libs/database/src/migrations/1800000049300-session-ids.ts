import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index with which a run that continues a session finds the earlier runs of the session. */
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
