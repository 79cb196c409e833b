import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A context is deleted with its entity, and a policy that it names cannot be deleted. */
export class Context1800000057900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entity_contexts (
        organization_id text NOT NULL,
        entity_type text NOT NULL,
        entity_id text NOT NULL,
        knowledge_uuids text[] NOT NULL,
        resource_ids text[] NOT NULL,
        policy_ids text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_entity_contexts PRIMARY KEY (organization_id, entity_type, entity_id)
      );
      -- Every start of a run reads the contexts that name policies.
      CREATE INDEX ix_entity_contexts_organization_id_policies
        ON entity_contexts (organization_id) WHERE policy_ids <> '{}';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE entity_contexts;');
  }
}
