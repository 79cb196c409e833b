import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives the executions that exist their turns, in the order in which they were created, as far as their workers have
 * stored messages. Each session is a transaction, so that no row stays locked for long.
 */
export class TurnsOfEarlierExecutions1800000074200 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$
      DECLARE one record;
      BEGIN
        FOR one IN
          SELECT DISTINCT e.organization_id, e.user_id, stored.session_id
          FROM execution_sessions stored
          JOIN executions e ON e.organization_id = stored.organization_id AND e.id = stored.execution_id
          WHERE stored.session_id IS NOT NULL AND e.user_id IS NOT NULL AND e.session_turn IS NULL
        LOOP
          UPDATE executions e SET session_id = one.session_id, session_turn = turn.number
          FROM (
            SELECT execution.id, row_number() OVER (ORDER BY execution.created_at, execution.id) AS number
            FROM execution_sessions stored
            JOIN executions execution
              ON execution.organization_id = stored.organization_id AND execution.id = stored.execution_id
            WHERE stored.organization_id = one.organization_id AND stored.session_id = one.session_id
              AND execution.user_id = one.user_id AND execution.session_turn IS NULL
          ) turn
          WHERE e.organization_id = one.organization_id AND e.id = turn.id;
          INSERT INTO user_sessions (organization_id, id, user_id, user_name, session_id, name, execution_type, entity_id,
            entity_name, turns, created_at, updated_at, last_activity_at)
          SELECT organization_id, gen_random_uuid()::text, user_id, user_name, session_id, session_id, execution_type,
            entity_id, entity_name, session_turn, min(created_at) OVER (), updated_at, max(updated_at) OVER ()
          FROM executions
          WHERE organization_id = one.organization_id AND user_id = one.user_id AND session_id = one.session_id
            AND session_turn IS NOT NULL
          ORDER BY session_turn DESC LIMIT 1
          ON CONFLICT (organization_id, user_id, session_id) DO NOTHING;
          COMMIT;
        END LOOP;
      END $$`);
  }

  /** The columns are dropped by the migration that added them. */
  async down(): Promise<void> {}
}
