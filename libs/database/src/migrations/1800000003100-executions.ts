import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Executions1800000003100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EXECUTIONS);
    await runner.query(COUNTS);
    await runner.query(SESSIONS);
    await runner.query(TASKS);
    await runner.query(ANALYTICS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE execution_records;
      DROP TABLE task_records;
      DROP TABLE execution_messages;
      DROP TABLE execution_sessions;
      DROP TABLE execution_counts;
      DROP TABLE executions;
    `);
  }
}

/** The fill factor leaves room on each page for the next version of a row: a running execution is written often. */
const EXECUTIONS = `
  CREATE TABLE executions (
    organization_id text NOT NULL,
    id text NOT NULL,
    execution_type text NOT NULL,
    entity_id text,
    entity_name text,
    prompt text,
    system_prompt text,
    status text NOT NULL,
    response text,
    error_message text,
    runner_name text,
    user_id text,
    user_name text,
    user_email text,
    user_avatar text,
    usage json NOT NULL,
    execution_metadata json NOT NULL,
    participants json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    started_at timestamptz(3),
    completed_at timestamptz(3),
    updated_at timestamptz(3) NOT NULL,
    last_message_at timestamptz(3),
    last_message_preview text,
    job_id text,
    parent_execution_id text,
    trigger_type text,
    trigger_metadata json NOT NULL,
    config json NOT NULL,
    execution_environment json NOT NULL,
    traceparent text,
    duration_ms integer,
    worker_queue_id text,
    queued_at timestamptz(3),
    attempt integer NOT NULL,
    max_attempts integer NOT NULL,
    lease_token text,
    lease_worker_id text,
    lease_expires_at timestamptz(3),
    lease_ms integer,
    command text,
    command_at timestamptz(3),
    CONSTRAINT pk_executions PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 80);
  CREATE INDEX ix_executions_organization_id_created_at ON executions (organization_id, created_at, id);
  CREATE INDEX ix_executions_organization_id_job_id ON executions (organization_id, job_id, created_at) WHERE job_id IS NOT NULL;
  CREATE INDEX ix_executions_organization_id_entity_id ON executions (organization_id, entity_id, created_at);
  CREATE INDEX ix_executions_waiting ON executions (worker_queue_id, queued_at)
    WHERE status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL;
  CREATE INDEX ix_executions_worker_queue_id_open ON executions (worker_queue_id)
    WHERE status IN ('pending', 'running', 'waiting_for_input', 'paused');
  CREATE INDEX ix_executions_lease_expires_at ON executions (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
  CREATE INDEX ix_executions_lease_worker_id ON executions (lease_worker_id) WHERE lease_worker_id IS NOT NULL;
`;

/** Several rows per job, distinguished by slot, so that concurrent starts of one job do not wait for the same lock. */
const COUNTS = `
  CREATE TABLE execution_counts (
    organization_id text NOT NULL,
    job_id text NOT NULL,
    slot smallint NOT NULL,
    total integer NOT NULL,
    successful integer NOT NULL,
    failed integer NOT NULL,
    cancelled integer NOT NULL,
    CONSTRAINT pk_execution_counts PRIMARY KEY (organization_id, job_id, slot)
  ) WITH (fillfactor = 50);
`;

const SESSIONS = `
  CREATE TABLE execution_sessions (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    session_id text,
    user_id text,
    messages json NOT NULL,
    metadata json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_execution_sessions PRIMARY KEY (organization_id, execution_id)
  );
  CREATE TABLE execution_messages (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    message_id text NOT NULL,
    message json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_execution_messages PRIMARY KEY (organization_id, execution_id, message_id)
  );
`;

const TASKS = `
  CREATE TABLE task_records (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    task_id text NOT NULL,
    id text NOT NULL,
    task_number integer,
    task_description text,
    task_type text,
    status text NOT NULL,
    started_at timestamptz(3),
    completed_at timestamptz(3),
    duration_ms integer,
    result text,
    error_message text,
    metadata json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_task_records PRIMARY KEY (organization_id, execution_id, task_id),
    CONSTRAINT uq_task_records_id UNIQUE (id)
  );
  CREATE INDEX ix_task_records_organization_id_task_id ON task_records (organization_id, task_id);
`;

/** Tool calls and turns of executions, kept as the worker reported them. */
const ANALYTICS = `
  CREATE TABLE execution_records (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    kind text NOT NULL,
    record_id text NOT NULL,
    record json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_execution_records PRIMARY KEY (organization_id, execution_id, kind, record_id)
  );
`;
