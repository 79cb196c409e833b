import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By name, the conditions of the indexes on the place of executions in their sessions. */
const INDEXES = {
  ix_executions_session: 'session_turn IS NOT NULL',
  ix_executions_session_open: `session_turn IS NOT NULL AND status IN ('pending', 'running', 'waiting_for_input', 'paused')`,
  ix_executions_session_held: `session_turn IS NOT NULL AND status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NULL AND worker_queue_id IS NOT NULL`,
};

/** The turns of sessions, and those that have not ended. The table is large, so the indexes are built beside its writes. */
export class SessionTurns1800000074100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, condition] of Object.entries(INDEXES)) {
      // An interrupted build leaves an index that no statement uses.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`
        CREATE INDEX CONCURRENTLY ${name} ON executions (organization_id, user_id, session_id, session_turn, created_at, id)
        WHERE ${condition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
