import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The inputs of the start of an execution, so that it can be repeated. Unknown for older executions. */
export class StartInputs1800000050100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions ADD COLUMN start_input json;');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN start_input;');
  }
}
