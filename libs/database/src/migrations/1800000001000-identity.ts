import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Identity1800000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id text NOT NULL,
        name text NOT NULL,
        slug text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_organizations PRIMARY KEY (id),
        CONSTRAINT uq_organizations_slug UNIQUE (slug)
      );
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
        user_name text,
        user_email text,
        user_avatar text,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        last_used timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_api_keys PRIMARY KEY (id),
        CONSTRAINT uq_api_keys_hash UNIQUE (hash)
      );
      CREATE INDEX ix_api_keys_organization_id ON api_keys (organization_id, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys; DROP TABLE organizations;');
  }
}
