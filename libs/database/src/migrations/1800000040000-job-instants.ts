import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The times at which schedules start runs. The reconciliation creates the schedulers of existing cron jobs. */
export class JobInstants1800000040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE job_instants (
        job_id text NOT NULL,
        instant timestamptz(3) NOT NULL,
        organization_id text NOT NULL,
        state text NOT NULL,
        due_at timestamptz(3),
        attempts integer NOT NULL,
        execution_id text,
        CONSTRAINT pk_job_instants PRIMARY KEY (job_id, instant),
        CONSTRAINT fk_job_instants_job_id FOREIGN KEY (job_id) REFERENCES jobs (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_job_instants_due_at ON job_instants (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX ix_job_instants_job_id_queued ON job_instants (job_id, instant) WHERE state = 'queued';
      CREATE INDEX ix_job_instants_instant_decided ON job_instants (instant)
        WHERE state NOT IN ('due', 'missed', 'queued');
      CREATE INDEX ix_executions_scheduled_open ON executions (organization_id, job_id)
        WHERE trigger_type = 'cron' AND status IN ('pending', 'running', 'waiting_for_input', 'paused');
      UPDATE jobs SET engine_schedule_id = id WHERE next_execution_at IS NOT NULL;
      CREATE INDEX ix_jobs_engine_schedule_id ON jobs (engine_schedule_id) WHERE engine_schedule_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE job_instants;
      DROP INDEX ix_executions_scheduled_open;
      DROP INDEX ix_jobs_engine_schedule_id;
      UPDATE jobs SET engine_schedule_id = NULL;
    `);
  }
}
