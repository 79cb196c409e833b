import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PolicyDecisions1800000007100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DECISIONS);
    await runner.query(REST);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE policy_decisions;');
  }
}

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
