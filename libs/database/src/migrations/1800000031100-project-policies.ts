import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index of the projects that name policies. Every start of a run and every deletion of a policy reads it. */
export class ProjectPolicies1800000031100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_projects_organization_id_policies ON projects (organization_id) WHERE policy_ids <> '{}';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_projects_organization_id_policies;');
  }
}
