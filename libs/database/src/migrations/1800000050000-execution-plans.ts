import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the worker of an execution without an entity chose to run. */
export class ExecutionPlans1800000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions ADD COLUMN plan json;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN plan;');
  }
}
