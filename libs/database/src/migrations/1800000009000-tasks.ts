import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Tasks1800000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tasks (
        organization_id text NOT NULL,
        execution_id text NOT NULL,
        name text NOT NULL,
        agent_id text NOT NULL,
        parameters json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_tasks PRIMARY KEY (organization_id, execution_id)
      );
      CREATE INDEX ix_tasks_organization_id_created_at ON tasks (organization_id, created_at, execution_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tasks;');
  }
}
