import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of workflows: the definition that an execution follows, and the states of its steps. */
export class ExecutionSteps1800000048600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ADD COLUMN definition json;
      CREATE TABLE execution_steps (
        organization_id text NOT NULL,
        execution_id text NOT NULL,
        name text NOT NULL,
        status text NOT NULL,
        attempt integer NOT NULL,
        output text,
        error_message text,
        started_at timestamptz(3),
        completed_at timestamptz(3),
        duration_ms double precision,
        usage json NOT NULL,
        CONSTRAINT pk_execution_steps PRIMARY KEY (organization_id, execution_id, name)
      );`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE execution_steps;
      ALTER TABLE executions DROP COLUMN definition;`);
  }
}
