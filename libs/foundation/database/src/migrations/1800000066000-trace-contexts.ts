import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What led to an execution, for its trace, and the `tracestate` of messages. */
export class TraceContexts1800000066000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE outbox ADD COLUMN tracestate text;
      ALTER TABLE executions ADD COLUMN trace_origin json;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions DROP COLUMN trace_origin;
      ALTER TABLE outbox DROP COLUMN tracestate;`);
  }
}
