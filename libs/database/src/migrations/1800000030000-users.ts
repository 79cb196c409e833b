import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users, for whom API keys act. Before, each key contained a copy of its user with a generated id; executions and jobs
 * refer to these ids, so each of them becomes a user. The user of the oldest key becomes the service user of its
 * organization, for keys that the operator creates without naming a user. Users for whom webhook jobs run although
 * their keys were deleted become users as well.
 */
export class Users1800000030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(FROM_KEYS);
    await runner.query(FROM_JOBS);
    await runner.query(WITHOUT_KEYS);
    await runner.query(`
      ALTER TABLE api_keys DROP COLUMN user_name, DROP COLUMN user_email, DROP COLUMN user_avatar,
        ADD CONSTRAINT fk_api_keys_user_id FOREIGN KEY (user_id) REFERENCES users (id);
      CREATE INDEX ix_api_keys_user_id ON api_keys (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP CONSTRAINT fk_api_keys_user_id,
        ADD COLUMN user_name text, ADD COLUMN user_email text, ADD COLUMN user_avatar text;
      DROP INDEX ix_api_keys_user_id;
      UPDATE api_keys SET user_name = users.name, user_email = users.email, user_avatar = users.avatar_url
      FROM users WHERE users.id = api_keys.user_id;
      DROP TABLE users;
    `);
  }
}

const TABLE = `
  CREATE TABLE users (
    id text NOT NULL,
    organization_id text NOT NULL,
    email text,
    email_key text,
    name text NOT NULL,
    avatar_url text,
    status text NOT NULL,
    groups text[] NOT NULL,
    service boolean NOT NULL,
    acted boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_users PRIMARY KEY (id),
    CONSTRAINT uq_users_organization_id_email_key UNIQUE (organization_id, email_key)
  );
  CREATE UNIQUE INDEX uq_users_organization_id_service ON users (organization_id) WHERE service;
  CREATE INDEX ix_users_organization_id_created_at ON users (organization_id, created_at);`;

/**
 * One user per user id of the keys, with the values of its newest key. A second user with the same e-mail address
 * becomes a user without an address, because addresses are unique from now on.
 */
const FROM_KEYS = `
  WITH owners AS (
    SELECT DISTINCT ON (user_id) user_id, organization_id, user_name, user_email, user_avatar,
      min(created_at) OVER (PARTITION BY user_id) AS created_at
    FROM api_keys ORDER BY user_id, api_keys.created_at DESC
  ), ranked AS (
    SELECT *,
      row_number() OVER (PARTITION BY organization_id ORDER BY created_at, user_id) AS age,
      row_number() OVER (PARTITION BY organization_id, lower(user_email) ORDER BY created_at, user_id) AS bearer
    FROM owners
  )
  INSERT INTO users
    (id, organization_id, email, email_key, name, avatar_url, status, groups, service, acted, created_at, updated_at)
  SELECT user_id, organization_id,
    CASE WHEN bearer = 1 THEN user_email END, CASE WHEN bearer = 1 THEN lower(user_email) END,
    coalesce(user_name, user_email, 'service'), user_avatar, 'active', '{}', age = 1, true, created_at, created_at
  FROM ranked`;

const FROM_JOBS = `
  INSERT INTO users (id, organization_id, name, status, groups, service, acted, created_at, updated_at)
  SELECT DISTINCT ON (runs_as) runs_as, organization_id, coalesce(runs_as_email, 'former user'), 'active', '{}'::text[],
    false, true, created_at, created_at
  FROM jobs WHERE runs_as IS NOT NULL ORDER BY runs_as, created_at
  ON CONFLICT (id) DO NOTHING`;

/** Organizations without any key get their service user as well. */
const WITHOUT_KEYS = `
  INSERT INTO users (id, organization_id, name, status, groups, service, acted, created_at, updated_at)
  SELECT gen_random_uuid()::text, id, 'admin', 'active', '{}'::text[], true, false, created_at, created_at
  FROM organizations
  WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.organization_id = organizations.id AND users.service)`;
