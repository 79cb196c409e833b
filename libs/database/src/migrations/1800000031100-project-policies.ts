import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The projects that name policies: part of every start, and of every deletion of a policy. */
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
