import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The members that an execution may call, fixed at its start. For older executions, the current members apply. */
export class ExecutionCallable1800000049100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions ADD COLUMN callable text[];');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN callable;');
  }
}
