import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Dispatchers take due instants of each organization in turn. */
export class DueInstants1800000050350 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_job_instants_organization_id_due_at ON job_instants (organization_id, due_at)
        WHERE due_at IS NOT NULL;
      DROP INDEX ix_job_instants_due_at;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_job_instants_due_at ON job_instants (due_at) WHERE due_at IS NOT NULL;
      DROP INDEX ix_job_instants_organization_id_due_at;
    `);
  }
}
