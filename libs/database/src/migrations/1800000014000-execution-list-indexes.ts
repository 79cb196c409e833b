import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last columns of the index of a list: its order, then its filters. */
const TAIL = 'created_at, id, status, execution_type';

const LISTS = [
  { name: 'ix_executions_organization_id_created_at', by: 'organization_id', before: 'created_at, id', where: '' },
  {
    name: 'ix_executions_organization_id_job_id',
    by: 'organization_id, job_id',
    before: 'created_at',
    where: 'WHERE job_id IS NOT NULL',
  },
  {
    name: 'ix_executions_organization_id_entity_id',
    by: 'organization_id, entity_id',
    before: 'created_at',
    where: '',
  },
] as const;

/** Counting, filtering and skipping in lists of executions needs only these indexes. */
export class ExecutionListIndexes1800000014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { name, by, where } of LISTS) {
      await runner.query(`DROP INDEX ${name}; CREATE INDEX ${name} ON executions (${by}, ${TAIL}) ${where};`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name, by, before, where } of LISTS) {
      await runner.query(`DROP INDEX ${name}; CREATE INDEX ${name} ON executions (${by}, ${before}) ${where};`);
    }
  }
}
