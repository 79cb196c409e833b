import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Traces1800000065000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRACES);
    await runner.query(SPANS);
    await runner.query(RESOURCES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE spans; DROP TABLE span_resources; DROP TABLE traces;');
  }
}

/** Times are nanoseconds since 1970, because `timestamptz` has microseconds. `day` is the partition of the spans. */
const TRACES = `
  CREATE TABLE traces (
    organization_id text NOT NULL,
    trace_id text NOT NULL,
    id text NOT NULL,
    day date NOT NULL,
    name text NOT NULL,
    service_name text,
    named_by_root boolean NOT NULL,
    named_by_start_ns bigint NOT NULL,
    named_by_span_id text NOT NULL,
    execution_id text,
    execution_type text,
    user_id text,
    user_email text,
    user_name text,
    user_avatar text,
    status text NOT NULL,
    start_ns bigint NOT NULL,
    end_ns bigint,
    duration_ms bigint,
    span_count integer NOT NULL,
    error_count integer NOT NULL,
    open_count integer NOT NULL,
    root_count integer NOT NULL,
    root_error_count integer NOT NULL,
    bytes bigint NOT NULL,
    revision integer NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_traces PRIMARY KEY (organization_id, trace_id),
    CONSTRAINT uq_traces_id UNIQUE (id)
  );
  CREATE INDEX ix_traces_organization_id_start_ns ON traces (organization_id, start_ns);
  CREATE INDEX ix_traces_organization_id_duration_ms ON traces (organization_id, duration_ms);
  CREATE INDEX ix_traces_organization_id_service_name ON traces (organization_id, service_name, start_ns);
  CREATE INDEX ix_traces_organization_id_execution_id ON traces (organization_id, execution_id)
    WHERE execution_id IS NOT NULL;
  CREATE INDEX ix_traces_organization_id_errors ON traces (organization_id, start_ns) WHERE error_count > 0;
  CREATE INDEX ix_traces_day ON traces (day);`;

/**
 * All spans of a trace are in the partition of its day, so that a primary key can find doubled ones. `fields` is the text
 * of a span in responses, as composed when it was received: reading many spans as columns takes four times as long.
 */
const SPANS = `
  CREATE TABLE spans (
    day date NOT NULL,
    organization_id text NOT NULL,
    trace_id text NOT NULL,
    span_id text NOT NULL,
    id text NOT NULL,
    parent_span_id text,
    name text NOT NULL,
    kind text NOT NULL,
    category text NOT NULL,
    status_code text NOT NULL,
    start_time_unix_nano bigint NOT NULL,
    end_time_unix_nano bigint,
    event_count integer NOT NULL,
    resource_digest text NOT NULL,
    bytes integer NOT NULL,
    fields json NOT NULL,
    CONSTRAINT pk_spans PRIMARY KEY (organization_id, trace_id, span_id, day)
  ) PARTITION BY RANGE (day);
  CREATE TABLE spans_default PARTITION OF spans DEFAULT;`;

/** What sent the spans. Stored once per day, because all spans of a process repeat it. */
const RESOURCES = `
  CREATE TABLE span_resources (
    day date NOT NULL,
    organization_id text NOT NULL,
    digest text NOT NULL,
    service_name text,
    attributes json NOT NULL,
    CONSTRAINT pk_span_resources PRIMARY KEY (organization_id, digest, day)
  ) PARTITION BY RANGE (day);
  CREATE TABLE span_resources_default PARTITION OF span_resources DEFAULT;`;
