import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sessions of users, and the place of each execution in its session. The sessions of the executions that exist have
 * their turns in the order in which these were created, as far as their workers have stored messages.
 */
export class UserSessions1800000074000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE user_sessions (
        organization_id text NOT NULL,
        id text NOT NULL,
        user_id text NOT NULL,
        user_name text,
        session_id text NOT NULL,
        name text NOT NULL,
        execution_type text,
        entity_id text,
        entity_name text,
        turns integer NOT NULL DEFAULT 0,
        forked_from_id text,
        copied_messages integer NOT NULL DEFAULT 0,
        copied_preview text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        last_activity_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_user_sessions PRIMARY KEY (organization_id, id),
        CONSTRAINT uq_user_sessions_organization_id_user_id_session_id UNIQUE (organization_id, user_id, session_id)
      );
      CREATE INDEX ix_user_sessions_organization_id_last_activity_at ON user_sessions
        (organization_id, last_activity_at, id);
      CREATE INDEX ix_user_sessions_organization_id_user_id ON user_sessions
        (organization_id, user_id, last_activity_at, id);
      CREATE INDEX ix_user_sessions_last_activity_at ON user_sessions (last_activity_at);
      CREATE TABLE user_session_messages (
        organization_id text NOT NULL,
        user_session_id text NOT NULL,
        position bigint NOT NULL,
        message_id text,
        message json NOT NULL,
        bytes integer NOT NULL,
        CONSTRAINT pk_user_session_messages PRIMARY KEY (organization_id, user_session_id, position)
      );
      ALTER TABLE executions ADD COLUMN session_id text, ADD COLUMN session_turn integer;
      UPDATE executions e SET session_id = turn.session_id, session_turn = turn.number
      FROM (
        SELECT organization_id, execution.id, session.session_id, row_number() OVER (
            PARTITION BY organization_id, execution.user_id, session.session_id ORDER BY execution.created_at, execution.id
          ) AS number
        FROM execution_sessions session
        JOIN executions execution USING (organization_id)
        WHERE execution.id = session.execution_id AND session.session_id IS NOT NULL AND execution.user_id IS NOT NULL
      ) turn
      WHERE e.organization_id = turn.organization_id AND e.id = turn.id;
      INSERT INTO user_sessions (organization_id, id, user_id, user_name, session_id, name, execution_type, entity_id,
        entity_name, turns, created_at, updated_at, last_activity_at)
      SELECT DISTINCT ON (organization_id, user_id, session_id) organization_id, gen_random_uuid()::text, user_id, user_name,
        session_id, session_id, execution_type, entity_id, entity_name, session_turn, min(created_at) OVER turns,
        updated_at, max(updated_at) OVER turns
      FROM executions WHERE session_turn IS NOT NULL
      WINDOW turns AS (PARTITION BY organization_id, user_id, session_id)
      ORDER BY organization_id, user_id, session_id, session_turn DESC;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions DROP COLUMN session_id, DROP COLUMN session_turn;
      DROP TABLE user_session_messages;
      DROP TABLE user_sessions;`);
  }
}
