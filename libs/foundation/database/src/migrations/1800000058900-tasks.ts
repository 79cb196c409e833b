import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A task is deleted with its execution. */
export class Tasks1800000058900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tasks (
        organization_id text NOT NULL,
        execution_id text NOT NULL,
        name text NOT NULL,
        agent_id text NOT NULL,
        parameters json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_tasks PRIMARY KEY (organization_id, execution_id),
        CONSTRAINT fk_tasks_execution_id FOREIGN KEY (organization_id, execution_id)
          REFERENCES executions (organization_id, id) ON DELETE CASCADE
      );
      CREATE INDEX ix_tasks_organization_id_created_at ON tasks (organization_id, created_at, execution_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tasks;');
  }
}
