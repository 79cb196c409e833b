import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Associations are deleted with their entity. */
export class Policies1800000057800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLICIES);
    await runner.query(VERSIONS);
    await runner.query(ASSOCIATIONS);
    await runner.query(DECISIONS);
    await runner.query(REST);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE policy_decisions;
      DROP TABLE policy_associations;
      DROP TABLE policy_versions;
      DROP TABLE policies;
    `);
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

/** `policy_ids` repeats the ids in `policies` for an index. A lookup by id searches every partition. */
const DECISIONS = `
  CREATE TABLE policy_decisions (
    id text NOT NULL,
    at timestamptz(3) NOT NULL,
    organization_id text NOT NULL,
    kind text NOT NULL,
    action text,
    entity_type text NOT NULL,
    entity_id text NOT NULL,
    allowed boolean NOT NULL,
    violations text[] NOT NULL,
    policies json NOT NULL,
    policy_ids text[] NOT NULL,
    input_digest text NOT NULL,
    input_bytes integer NOT NULL,
    input json,
    execution_id text,
    user_id text,
    user_email text,
    key_id text,
    CONSTRAINT pk_policy_decisions PRIMARY KEY (id, at)
  ) PARTITION BY RANGE (at);
  CREATE INDEX ix_policy_decisions_organization_id_at ON policy_decisions (organization_id, at, id);
  CREATE INDEX ix_policy_decisions_organization_id_entity_id ON policy_decisions (organization_id, entity_id, at);
  CREATE INDEX ix_policy_decisions_organization_id_denied ON policy_decisions (organization_id, at) WHERE NOT allowed;
  CREATE INDEX ix_policy_decisions_organization_id_execution_id ON policy_decisions (organization_id, execution_id)
    WHERE execution_id IS NOT NULL;
  CREATE INDEX ix_policy_decisions_policy_ids ON policy_decisions USING gin (policy_ids);`;

/** Dispatchers create weekly partitions in advance; rows without one are inserted here, so that no insert fails. */
const REST = 'CREATE TABLE policy_decisions_default PARTITION OF policy_decisions DEFAULT;';
