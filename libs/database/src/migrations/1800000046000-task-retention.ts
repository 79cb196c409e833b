import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A task is deleted with its execution. Tasks whose execution was deleted before could no longer be read. */
export class TaskRetention1800000046000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM tasks WHERE NOT EXISTS (
        SELECT FROM executions e WHERE e.organization_id = tasks.organization_id AND e.id = tasks.execution_id
      );
      ALTER TABLE tasks ADD CONSTRAINT fk_tasks_execution_id FOREIGN KEY (organization_id, execution_id)
        REFERENCES executions (organization_id, id) ON DELETE CASCADE;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tasks DROP CONSTRAINT fk_tasks_execution_id;');
  }
}
