import type { MigrationInterface, QueryRunner } from 'typeorm';

/** With these indexes, the analytics summary counts the records of a period, or all, without reading the tables. */
export class SummaryIndexes1800000022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_task_records_organization_id_created_at ON task_records (organization_id, created_at, status);
      CREATE INDEX ix_execution_records_organization_id_created_at
        ON execution_records (organization_id, created_at, kind);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_execution_records_organization_id_created_at;
      DROP INDEX ix_task_records_organization_id_created_at;
    `);
  }
}
