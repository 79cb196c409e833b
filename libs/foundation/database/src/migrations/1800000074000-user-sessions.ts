import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sessions of users, and the place of each execution in its session. */
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
      ALTER TABLE executions ADD COLUMN session_id text, ADD COLUMN session_turn integer;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions DROP COLUMN session_id, DROP COLUMN session_turn;
      DROP TABLE user_session_messages;
      DROP TABLE user_sessions;`);
  }
}
