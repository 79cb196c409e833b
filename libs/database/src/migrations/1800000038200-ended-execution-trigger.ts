import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A cheaper condition for the trigger that writes `execution_facts`. PostgreSQL parses the condition in every statement
 * that fires the trigger, so the condition no longer compares the columns of a fact, and statements that set none of
 * these columns (claims and renewals of leases) do not fire the trigger. A write of equal values to an ended execution
 * adds two facts with opposite signs.
 */
export class EndedExecutionTrigger1800000038200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER tr_executions_update ON executions;
      CREATE TRIGGER tr_executions_update AFTER UPDATE OF ${FACT_COLUMNS.join(', ')} ON executions FOR EACH ROW
        WHEN (${HAS_FACT}) EXECUTE FUNCTION note_ended_execution();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER tr_executions_update ON executions;
      CREATE TRIGGER tr_executions_update AFTER UPDATE ON executions FOR EACH ROW
        WHEN ((${HAS_FACT}) AND ${rowOf('OLD')} IS DISTINCT FROM ${rowOf('NEW')})
        EXECUTE FUNCTION note_ended_execution();
    `);
  }
}

const FINAL = `('completed', 'failed', 'cancelled', 'terminated')`;
const HAS_FACT = `NEW.status IN ${FINAL} OR OLD.status IN ${FINAL}`;

/** The columns from which `note_ended_execution` derives a fact. */
const FACT_COLUMNS = [
  'status',
  'execution_type',
  'entity_id',
  'job_id',
  'worker_queue_id',
  'model',
  'created_at',
  'started_at',
  'completed_at',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cost_nanos',
];

function rowOf(name: 'OLD' | 'NEW'): string {
  return `(${FACT_COLUMNS.map((column) => `${name}.${column}`).join(', ')})`;
}
