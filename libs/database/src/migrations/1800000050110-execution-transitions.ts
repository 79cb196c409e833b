import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The ledger of executions: a row for each change of the status and each beginning or early end of a lease, in the
 * statement that makes the change. Changes before this migration have no rows.
 */
export class ExecutionTransitions1800000050110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE execution_transitions (
        organization_id text NOT NULL,
        execution_id text NOT NULL,
        sequence bigint GENERATED ALWAYS AS IDENTITY,
        at timestamptz(3) NOT NULL,
        from_status text,
        to_status text NOT NULL,
        attempt integer NOT NULL,
        lease text,
        queued_at timestamptz(3),
        actor_kind text NOT NULL,
        actor_id text,
        actor_name text,
        reason text,
        CONSTRAINT pk_execution_transitions PRIMARY KEY (organization_id, execution_id, sequence)
      );`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE execution_transitions;');
  }
}
