import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Removes unknown policies from contexts: from now on, a policy that a context names exists and cannot be deleted. */
export class ContextPoliciesExist1800000047100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE entity_contexts context SET policy_ids = ARRAY(
        SELECT named.id FROM unnest(context.policy_ids) WITH ORDINALITY AS named (id, position)
        JOIN policies policy ON policy.organization_id = context.organization_id AND policy.id = named.id
        ORDER BY named.position
      ) WHERE policy_ids <> '{}';
    `);
  }

  /** Nothing to restore: unknown ids had no effect. */
  async down(): Promise<void> {}
}
