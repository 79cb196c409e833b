import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index of the contexts that name policies. Every start of a run reads it. */
export class ContextPolicies1800000033100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_entity_contexts_organization_id_policies
        ON entity_contexts (organization_id) WHERE policy_ids <> '{}';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_entity_contexts_organization_id_policies;');
  }
}
