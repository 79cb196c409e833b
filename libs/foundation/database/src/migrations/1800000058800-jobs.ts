import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Jobs1800000058800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(JOBS);
    await runner.query(WEBHOOK_MESSAGES);
    await runner.query(INSTANTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE job_instants; DROP TABLE job_webhook_messages; DROP TABLE jobs;');
  }
}

/**
 * `may_override_environment`: whether the key that set the `execution_environment` had the scope `agents:write`; without
 * it, only variables that it adds apply. `runs_as`: the user for whom webhook and cron runs act, who is the last one
 * that changed what runs: a run must act only for the author of what it runs.
 */
const JOBS = `
  CREATE TABLE jobs (
    id text NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    trigger_type text NOT NULL,
    prompt_template text NOT NULL,
    description text,
    enabled boolean NOT NULL,
    cron_schedule text,
    cron_timezone text NOT NULL,
    planning_mode text NOT NULL,
    entity_type text,
    entity_id text,
    system_prompt text,
    executor_type text NOT NULL,
    worker_queue_name text,
    environment_name text,
    config json NOT NULL,
    execution_environment json NOT NULL,
    engine_schedule_id text,
    webhook_token text,
    webhook_secret text,
    created_by text NOT NULL,
    created_by_email text,
    updated_by text NOT NULL,
    updated_by_email text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    next_execution_at timestamptz(3),
    may_override_environment boolean NOT NULL DEFAULT false,
    runs_as text,
    runs_as_email text,
    CONSTRAINT pk_jobs PRIMARY KEY (id),
    CONSTRAINT uq_jobs_webhook_token UNIQUE (webhook_token)
  );
  CREATE INDEX ix_jobs_organization_id_created_at ON jobs (organization_id, created_at);
  CREATE INDEX ix_jobs_next_execution_at ON jobs (next_execution_at);
  CREATE INDEX ix_jobs_engine_schedule_id ON jobs (engine_schedule_id) WHERE engine_schedule_id IS NOT NULL;`;

const WEBHOOK_MESSAGES = `
  CREATE TABLE job_webhook_messages (
    job_id text NOT NULL,
    message_id text NOT NULL,
    received_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_job_webhook_messages PRIMARY KEY (job_id, message_id),
    CONSTRAINT fk_job_webhook_messages_job_id FOREIGN KEY (job_id) REFERENCES jobs (id) ON DELETE CASCADE
  );
  CREATE INDEX ix_job_webhook_messages_job_id_received_at ON job_webhook_messages (job_id, received_at);`;

/**
 * The times at which schedules start runs (ADR 0018). Dispatchers take due instants of each organization in turn (ADR
 * 0042).
 */
const INSTANTS = `
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
  CREATE INDEX ix_job_instants_job_id_queued ON job_instants (job_id, instant) WHERE state = 'queued';
  CREATE INDEX ix_job_instants_instant_decided ON job_instants (instant)
    WHERE state NOT IN ('due', 'missed', 'queued');
  CREATE INDEX ix_job_instants_organization_id_due_at ON job_instants (organization_id, due_at)
    WHERE due_at IS NOT NULL;`;
