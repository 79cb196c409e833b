import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Executions1800000058500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EXECUTIONS);
    await runner.query(EXECUTION_INDEXES);
    for (const text of [TRANSITIONS, COUNTS, STEPS, FILES, SESSIONS, SENT_MESSAGES, TASKS, RECORDS]) {
      await runner.query(text);
    }
    // Adds a reported usage to `earlier_usage`: the sum if both values are numbers, otherwise the reported value, or the
    // earlier one if none is reported. Numbers beyond 1e15 are not summed: they are wrong, and their sum may have no JSON
    // form.
    await runner.query(`
      CREATE FUNCTION add_usage(earlier json, reported json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
        SELECT coalesce(json_object_agg(key, CASE
          WHEN json_typeof(e.value) = 'number' AND json_typeof(r.value) = 'number' THEN CASE
            WHEN greatest(abs((e.value #>> '{}')::float8), abs((r.value #>> '{}')::float8)) <= 1e15
            THEN to_json((e.value #>> '{}')::float8 + (r.value #>> '{}')::float8) ELSE r.value END
          ELSE coalesce(r.value, e.value) END), '{}')
        FROM json_each(earlier) e FULL JOIN json_each(reported) r USING (key)
      $$;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION add_usage(json, json);
      DROP TABLE execution_records;
      DROP TABLE task_records;
      DROP TABLE execution_messages;
      DROP TABLE session_messages;
      DROP TABLE execution_sessions;
      DROP TABLE execution_files;
      DROP TABLE execution_steps;
      DROP TABLE execution_counts;
      DROP TABLE execution_transitions;
      DROP TABLE executions;
    `);
  }
}

/**
 * The fill factor leaves room on each page for the next version of a row: a running execution is written often.
 *
 * Durations in milliseconds are doubles: an integer holds at most 24.8 days, a double is exact for every integer that
 * JSON can represent. `may_override_environment`: whether the key that set the `execution_environment` had the scope
 * `agents:write`; without it, only variables that it adds apply. `cause`: the cause of a failure, for counting the
 * failures of a period by cause and for listing the executions of a cause; only the platform can compute it. `retry_on`
 * to `timeout_at`: which failures are retried and when, and how long an attempt may run. `definition`: the workflow that
 * the execution follows. `leased_at`: when the lease began. `callable`: the members that the execution may call, fixed at
 * its start; null: the current members. `plan`: what the worker of an execution without an entity chose to run.
 * `start_input`: the inputs of the start, so that it can be repeated. `earlier_usage`: the usage of the ended attempts,
 * with the columns that are derived from it; null without ended attempts.
 */
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
    duration_ms double precision,
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
    may_override_environment boolean NOT NULL DEFAULT false,
    cause text,
    model text,
    input_tokens double precision,
    output_tokens double precision,
    total_tokens double precision,
    cost_nanos double precision,
    retry_on text[] NOT NULL DEFAULT '{lost}',
    retry_delay_ms integer NOT NULL DEFAULT 5000,
    retry_factor smallint NOT NULL DEFAULT 2,
    timeout_ms integer,
    timeout_left_ms integer,
    timeout_at timestamptz(3),
    definition json,
    leased_at timestamptz(3),
    callable text[],
    plan json,
    start_input json,
    earlier_usage json,
    CONSTRAINT pk_executions PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 80);
`;

const OPEN = `status IN ('pending', 'running', 'waiting_for_input', 'paused')`;

/**
 * Counting, filtering and skipping in lists of executions needs only the index of the list: its columns are the order of
 * the list, then its filters. For the orders of summaries other than `created_at`, two indexes contain only executions
 * that have not ended, so that the longest running one is found without reading the millions of ended ones.
 */
const EXECUTION_INDEXES = `
  CREATE INDEX ix_executions_organization_id_created_at ON executions
    (organization_id, created_at, id, status, execution_type);
  CREATE INDEX ix_executions_organization_id_job_id ON executions
    (organization_id, job_id, created_at, id, status, execution_type) WHERE job_id IS NOT NULL;
  CREATE INDEX ix_executions_organization_id_entity_id ON executions
    (organization_id, entity_id, created_at, id, status, execution_type);
  CREATE INDEX ix_executions_organization_id_completed_at ON executions (organization_id, completed_at, id, status)
    WHERE completed_at IS NOT NULL;
  CREATE INDEX ix_executions_organization_id_open_created_at ON executions (organization_id, created_at, id, status)
    WHERE ${OPEN};
  CREATE INDEX ix_executions_organization_id_queued_at ON executions (organization_id, queued_at, id, status)
    WHERE queued_at IS NOT NULL AND ${OPEN};
  CREATE INDEX ix_executions_organization_id_parent ON executions (organization_id, parent_execution_id, created_at, id)
    WHERE parent_execution_id IS NOT NULL;
  CREATE INDEX ix_executions_organization_id_cause ON executions (organization_id, cause, created_at, id)
    WHERE status = 'failed';
  CREATE INDEX ix_executions_organization_id_failed
    ON executions (organization_id, completed_at, cause, entity_id, job_id, worker_queue_id) WHERE status = 'failed';
  CREATE INDEX ix_executions_without_cause ON executions (organization_id) WHERE status = 'failed' AND cause IS NULL;
  CREATE INDEX ix_executions_organization_id_open ON executions (organization_id, started_at) WHERE ${OPEN};
  CREATE INDEX ix_executions_scheduled_open ON executions (organization_id, job_id)
    WHERE trigger_type = 'cron' AND ${OPEN};
  CREATE INDEX ix_executions_waiting ON executions (worker_queue_id, queued_at)
    WHERE status = 'pending' AND lease_expires_at IS NULL AND queued_at IS NOT NULL;
  CREATE INDEX ix_executions_worker_queue_id_open ON executions (worker_queue_id) WHERE ${OPEN};
  CREATE INDEX ix_executions_lease_expires_at ON executions (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
  CREATE INDEX ix_executions_lease_worker_id ON executions (lease_worker_id) WHERE lease_worker_id IS NOT NULL;
  CREATE INDEX ix_executions_created_at_ended ON executions (created_at)
    WHERE status IN ('completed', 'failed', 'cancelled', 'terminated');
`;

/**
 * The ledger of executions: a row for each change of the status and each beginning or early end of a lease, in the
 * statement that makes the change (ADR 0039).
 */
const TRANSITIONS = `
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
  );
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

/** The states of the steps of workflows. */
const STEPS = `
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
  );
`;

/** The files that executions made. */
const FILES = `
  CREATE TABLE execution_files (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    name text NOT NULL,
    size integer NOT NULL,
    content_type text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_execution_files PRIMARY KEY (organization_id, execution_id, name)
  );
`;

/**
 * A row per message, so that storing a message does not write the others again, and a page is read by its position (ADR
 * 0040). A run that continues a session finds the earlier runs of the session with the index of the session ids.
 * Message ids over 255 characters are not stored: no request can name such a message, and an index entry has a size
 * limit.
 */
const SESSIONS = `
  CREATE TABLE execution_sessions (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    session_id text,
    user_id text,
    metadata json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    last_position bigint NOT NULL DEFAULT 0,
    stored_messages integer NOT NULL DEFAULT 0,
    stored_bytes bigint NOT NULL DEFAULT 0,
    CONSTRAINT pk_execution_sessions PRIMARY KEY (organization_id, execution_id)
  );
  CREATE INDEX ix_execution_sessions_session_id ON execution_sessions (organization_id, session_id)
    WHERE session_id IS NOT NULL;
  CREATE TABLE session_messages (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    position bigint NOT NULL,
    message_id text,
    message json NOT NULL,
    bytes integer NOT NULL,
    CONSTRAINT pk_session_messages PRIMARY KEY (organization_id, execution_id, position)
  );
  CREATE INDEX ix_session_messages_message_id ON session_messages (organization_id, execution_id, message_id)
    WHERE message_id IS NOT NULL;
`;

/** The messages that users sent to executions; `is_stored` while a stored message has the same id (ADR 0040). */
const SENT_MESSAGES = `
  CREATE TABLE execution_messages (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    message_id text NOT NULL,
    message json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    is_stored boolean NOT NULL DEFAULT false,
    CONSTRAINT pk_execution_messages PRIMARY KEY (organization_id, execution_id, message_id)
  );
  CREATE INDEX ix_execution_messages_unstored ON execution_messages (organization_id, execution_id, created_at, message_id)
    WHERE NOT is_stored;
`;

/** With the indexes on `created_at`, analytics counts the records of a period, or all, without reading the tables. */
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
    duration_ms double precision,
    result text,
    error_message text,
    metadata json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_task_records PRIMARY KEY (organization_id, execution_id, task_id),
    CONSTRAINT uq_task_records_id UNIQUE (id)
  );
  CREATE INDEX ix_task_records_organization_id_task_id ON task_records (organization_id, task_id);
  CREATE INDEX ix_task_records_organization_id_created_at ON task_records (organization_id, created_at, status);
`;

/** Tool calls and turns of executions, kept as the worker reported them. */
const RECORDS = `
  CREATE TABLE execution_records (
    organization_id text NOT NULL,
    execution_id text NOT NULL,
    kind text NOT NULL,
    record_id text NOT NULL,
    record json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_execution_records PRIMARY KEY (organization_id, execution_id, kind, record_id)
  );
  CREATE INDEX ix_execution_records_organization_id_created_at ON execution_records (organization_id, created_at, kind);
`;
