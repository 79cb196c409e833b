import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Identity1800000057100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ORGANIZATIONS);
    await runner.query(USERS);
    await runner.query(API_KEYS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys; DROP TABLE users; DROP TABLE organizations;');
  }
}

const ORGANIZATIONS = `
  CREATE TABLE organizations (
    id text NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_organizations PRIMARY KEY (id),
    CONSTRAINT uq_organizations_slug UNIQUE (slug)
  );`;

/**
 * Users, for whom API keys act. Each organization has one service user, for keys that the operator creates without
 * naming a user. E-mail addresses are unique in an organization regardless of case: `email_key` is in lower case.
 */
const USERS = `
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
 * `rate_limits`: the limits that differ from the settings; null for a key without any. `superseded_at`: when a rotated
 * key stops working; null for a key that was not rotated.
 */
const API_KEYS = `
  CREATE TABLE api_keys (
    id text NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    description text,
    hash text NOT NULL,
    prefix text NOT NULL,
    last_four text NOT NULL,
    scopes text[] NOT NULL,
    user_id text NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    rate_limits json,
    superseded_at timestamptz(3),
    CONSTRAINT pk_api_keys PRIMARY KEY (id),
    CONSTRAINT uq_api_keys_hash UNIQUE (hash),
    CONSTRAINT fk_api_keys_user_id FOREIGN KEY (user_id) REFERENCES users (id)
  );
  CREATE INDEX ix_api_keys_organization_id ON api_keys (organization_id, created_at);
  CREATE INDEX ix_api_keys_user_id ON api_keys (user_id);`;
