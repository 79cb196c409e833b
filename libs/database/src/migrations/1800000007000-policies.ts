import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Policies1800000007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLICIES);
    await runner.query(VERSIONS);
    await runner.query(ASSOCIATIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE policy_associations; DROP TABLE policy_versions; DROP TABLE policies;');
  }
}

const POLICIES = `
  CREATE TABLE policies (
    id text NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    description text,
    enabled boolean NOT NULL,
    tags text[] NOT NULL,
    policy_type text NOT NULL,
    policy_content text NOT NULL,
    metadata json NOT NULL,
    version integer NOT NULL,
    created_by text,
    updated_by text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_policies PRIMARY KEY (id)
  );
  CREATE INDEX ix_policies_organization_id_created_at ON policies (organization_id, created_at);`;

const VERSIONS = `
  CREATE TABLE policy_versions (
    policy_id text NOT NULL,
    version integer NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    description text,
    enabled boolean NOT NULL,
    tags text[] NOT NULL,
    policy_type text NOT NULL,
    policy_content text NOT NULL,
    metadata json NOT NULL,
    created_by text,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_policy_versions PRIMARY KEY (policy_id, version)
  );`;

const ASSOCIATIONS = `
  CREATE TABLE policy_associations (
    id text NOT NULL,
    organization_id text NOT NULL,
    entity_type text NOT NULL,
    entity_id text NOT NULL,
    policy_id text NOT NULL,
    priority integer NOT NULL,
    enabled boolean NOT NULL,
    created_by text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_policy_associations PRIMARY KEY (id),
    CONSTRAINT uq_policy_associations_entity_policy_id UNIQUE (organization_id, entity_type, entity_id, policy_id),
    CONSTRAINT fk_policy_associations_policy_id FOREIGN KEY (policy_id) REFERENCES policies (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_policy_associations_policy_id ON policy_associations (policy_id);
  CREATE INDEX ix_policy_associations_organization_id_created_at ON policy_associations (organization_id, created_at);`;
