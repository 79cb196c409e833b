import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Aggregates of executions and of their records (ADR 0017).
 *
 * A trigger writes each ended execution to `execution_facts`, in the statement that ends it, with the sign 1. When an
 * ended execution changes, the trigger also writes the former values with the sign -1. The facts and their aggregates
 * therefore always equal the ended executions, whichever statement writes these and whenever a process dies. A periodic
 * task adds facts to `execution_series` (by start and end), `usage_totals` and `execution_totals` (by creation),
 * in one statement. `record_changes` and `record_totals` do the same for task records, tool calls and turns.
 */
export class Analytics1800000058600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const text of [FACTS, FACT_TRIGGERS, AGGREGATES, USAGE, RECORDS, RECORD_TRIGGERS]) await runner.query(text);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER tr_execution_records_insert ON execution_records;
      DROP TRIGGER tr_task_records_update ON task_records;
      DROP TRIGGER tr_task_records_insert ON task_records;
      DROP TRIGGER tr_executions_update ON executions;
      DROP TRIGGER tr_executions_insert ON executions;
      DROP FUNCTION note_new_execution_records();
      DROP FUNCTION note_changed_task_records();
      DROP FUNCTION note_new_task_records();
      DROP FUNCTION note_ended_execution();
      DROP FUNCTION add_counts(jsonb, jsonb);
      DROP TABLE record_totals;
      DROP TABLE record_changes;
      DROP TABLE usage_totals;
      DROP TABLE analytics_names;
      DROP TABLE execution_totals;
      DROP TABLE execution_series;
      DROP TABLE execution_facts;
    `);
  }
}

const FINAL = `('completed', 'failed', 'cancelled', 'terminated')`;

const FACT_COLUMNS = `organization_id, sign, status, execution_type, entity_id, job_id, worker_queue_id, model, created_at,
  started_at, completed_at, wait_ms, run_ms, input_tokens, output_tokens, total_tokens, cost_nanos`;

/** The values of `FACT_COLUMNS` for the row `e` of an execution. Clients may write times in any order. */
const factOf = (e: string, sign: 1 | -1): string => `
  ${e}.organization_id, ${sign}, ${e}.status, ${e}.execution_type, ${e}.entity_id, ${e}.job_id, ${e}.worker_queue_id,
  ${e}.model, ${e}.created_at, ${e}.started_at, ${e}.completed_at,
  CASE WHEN ${e}.started_at IS NOT NULL THEN greatest(0, extract(epoch FROM ${e}.started_at - ${e}.created_at) * 1000) END,
  coalesce(${e}.duration_ms, CASE WHEN ${e}.completed_at < ${e}.started_at THEN 0
    ELSE round(extract(epoch FROM ${e}.completed_at - ${e}.started_at) * 1000) END::double precision),
  ${e}.input_tokens, ${e}.output_tokens, ${e}.total_tokens, ${e}.cost_nanos`;

const FACTS = `
  CREATE TABLE execution_facts (
    organization_id text NOT NULL,
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    sign smallint NOT NULL,
    status text NOT NULL,
    execution_type text NOT NULL,
    entity_id text,
    job_id text,
    worker_queue_id text,
    model text,
    created_at timestamptz(3) NOT NULL,
    started_at timestamptz(3),
    completed_at timestamptz(3),
    wait_ms double precision,
    run_ms double precision,
    input_tokens double precision,
    output_tokens double precision,
    total_tokens double precision,
    cost_nanos double precision,
    CONSTRAINT pk_execution_facts PRIMARY KEY (organization_id, sequence)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`;

/** The columns from which `note_ended_execution` derives a fact. */
const DERIVED_FROM = [
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

/**
 * PostgreSQL parses the condition of a trigger in every statement that fires it. The condition therefore does not compare
 * the columns of a fact, and statements that set none of these columns (claims and renewals of leases) do not fire the
 * trigger. A write of equal values to an ended execution adds two facts with opposite signs.
 */
const FACT_TRIGGERS = `
  CREATE FUNCTION note_ended_execution() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      IF OLD.status IN ${FINAL} THEN
        INSERT INTO execution_facts (${FACT_COLUMNS}) VALUES (${factOf('OLD', -1)});
      END IF;
    END IF;
    IF NEW.status IN ${FINAL} THEN
      INSERT INTO execution_facts (${FACT_COLUMNS}) VALUES (${factOf('NEW', 1)});
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_executions_insert AFTER INSERT ON executions FOR EACH ROW
    WHEN (NEW.status IN ${FINAL}) EXECUTE FUNCTION note_ended_execution();
  CREATE TRIGGER tr_executions_update AFTER UPDATE OF ${DERIVED_FROM.join(', ')} ON executions FOR EACH ROW
    WHEN (NEW.status IN ${FINAL} OR OLD.status IN ${FINAL}) EXECUTE FUNCTION note_ended_execution();
`;

/**
 * `rolled_up`: the columns over which a row is summed, as bits (4 entity, 2 job, 1 queue); these columns are empty in
 * the row. `wait` and `run` are histograms, counts by bucket.
 */
const AGGREGATES = `
  CREATE FUNCTION add_counts(a jsonb, b jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, total), '{}') FROM (
      SELECT key, sum(value::bigint) AS total
      FROM (SELECT * FROM jsonb_each_text(a) UNION ALL SELECT * FROM jsonb_each_text(b)) counts (key, value)
      GROUP BY key HAVING sum(value::bigint) <> 0
    ) totals
  $$;
  CREATE TABLE execution_series (
    organization_id text NOT NULL,
    seconds integer NOT NULL,
    rolled_up smallint NOT NULL,
    entity_id text NOT NULL,
    job_id text NOT NULL,
    worker_queue_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    started bigint NOT NULL,
    completed bigint NOT NULL,
    failed bigint NOT NULL,
    cancelled bigint NOT NULL,
    terminated bigint NOT NULL,
    wait jsonb NOT NULL,
    run jsonb NOT NULL,
    CONSTRAINT pk_execution_series
      PRIMARY KEY (organization_id, seconds, rolled_up, entity_id, job_id, worker_queue_id, at)
  ) WITH (fillfactor = 80);
  CREATE INDEX ix_execution_series_seconds_at ON execution_series (seconds, at);
  CREATE TABLE execution_totals (
    organization_id text NOT NULL,
    seconds integer NOT NULL,
    at timestamptz(3) NOT NULL,
    executions bigint NOT NULL,
    input_tokens numeric NOT NULL,
    output_tokens numeric NOT NULL,
    total_tokens numeric NOT NULL,
    cost_nanos numeric NOT NULL,
    run jsonb NOT NULL,
    CONSTRAINT pk_execution_totals PRIMARY KEY (organization_id, seconds, at)
  ) WITH (fillfactor = 80);
`;

/**
 * Sums of usage by agent, team and model, with a bound on the names: `analytics_names` has the first 1,000 names of each
 * kind that an organization uses in 30 days; other names count only in the totals (ADR 0045).
 */
const USAGE = `
  CREATE TABLE analytics_names (
    organization_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    number integer NOT NULL,
    CONSTRAINT pk_analytics_names PRIMARY KEY (organization_id, at, kind, name)
  );
  CREATE UNIQUE INDEX uq_analytics_names_number ON analytics_names (organization_id, at, kind, number);
  CREATE TABLE usage_totals (
    organization_id text NOT NULL,
    seconds integer NOT NULL,
    at timestamptz(3) NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    status text NOT NULL,
    executions bigint NOT NULL,
    input_tokens numeric NOT NULL,
    output_tokens numeric NOT NULL,
    total_tokens numeric NOT NULL,
    cost_nanos numeric NOT NULL,
    CONSTRAINT pk_usage_totals PRIMARY KEY (organization_id, seconds, at, kind, key, status)
  ) WITH (fillfactor = 80);
`;

const RECORDS = `
  CREATE TABLE record_changes (
    organization_id text NOT NULL,
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    status text NOT NULL,
    at timestamptz(3) NOT NULL,
    records bigint NOT NULL,
    CONSTRAINT pk_record_changes PRIMARY KEY (organization_id, sequence)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
  CREATE TABLE record_totals (
    organization_id text NOT NULL,
    seconds integer NOT NULL,
    at timestamptz(3) NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    records bigint NOT NULL,
    CONSTRAINT pk_record_totals PRIMARY KEY (organization_id, seconds, at, kind, status)
  ) WITH (fillfactor = 80);
`;

const RECORD_TRIGGERS = `
  CREATE FUNCTION note_new_task_records() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO record_changes (organization_id, kind, status, at, records)
    SELECT organization_id, 'task', status, date_trunc('hour', created_at, 'UTC'), count(*)
    FROM new_rows GROUP BY 1, 3, 4;
    RETURN NULL;
  END $$;
  CREATE FUNCTION note_changed_task_records() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO record_changes (organization_id, kind, status, at, records)
    SELECT organization_id, 'task', status, date_trunc('hour', created_at, 'UTC'), sum(sign)
    FROM (
      SELECT organization_id, status, created_at, 1 AS sign FROM new_rows
      UNION ALL SELECT organization_id, status, created_at, -1 FROM old_rows
    ) changes GROUP BY 1, 3, 4 HAVING sum(sign) <> 0;
    RETURN NULL;
  END $$;
  CREATE FUNCTION note_new_execution_records() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO record_changes (organization_id, kind, status, at, records)
    SELECT organization_id, kind, '', date_trunc('hour', created_at, 'UTC'), count(*)
    FROM new_rows GROUP BY 1, 2, 4;
    RETURN NULL;
  END $$;
  CREATE TRIGGER tr_task_records_insert AFTER INSERT ON task_records
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_new_task_records();
  CREATE TRIGGER tr_task_records_update AFTER UPDATE ON task_records
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION note_changed_task_records();
  CREATE TRIGGER tr_execution_records_insert AFTER INSERT ON execution_records
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_new_execution_records();
`;
