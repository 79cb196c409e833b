import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Environments1800000057300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENVIRONMENTS);
    await runner.query(WORKER_QUEUES);
    await runner.query(WORKERS);
    await runner.query(RUNNERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE runners; DROP TABLE workers; DROP TABLE worker_queues; DROP TABLE environments;');
  }
}

const ENVIRONMENTS = `
  CREATE TABLE environments (
    id text NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    display_name text NOT NULL,
    description text,
    tags text[] NOT NULL,
    settings json NOT NULL,
    execution_environment json NOT NULL,
    status text NOT NULL,
    worker_token text NOT NULL,
    provisioned_at timestamptz(3),
    error_message text,
    created_by text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_environments PRIMARY KEY (id),
    CONSTRAINT uq_environments_organization_id_name UNIQUE (organization_id, name),
    CONSTRAINT uq_environments_worker_token UNIQUE (worker_token)
  );
  CREATE INDEX ix_environments_organization_id_created_at ON environments (organization_id, created_at);`;

const WORKER_QUEUES = `
  CREATE TABLE worker_queues (
    id text NOT NULL,
    organization_id text NOT NULL,
    environment_id text NOT NULL,
    name text NOT NULL,
    display_name text NOT NULL,
    description text NOT NULL,
    status text NOT NULL,
    max_workers integer,
    heartbeat_interval integer NOT NULL,
    tags text[] NOT NULL,
    settings json NOT NULL,
    created_by text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_worker_queues PRIMARY KEY (id),
    CONSTRAINT uq_worker_queues_environment_id_name UNIQUE (environment_id, name),
    CONSTRAINT fk_worker_queues_environment_id FOREIGN KEY (environment_id) REFERENCES environments (id)
  );
  CREATE INDEX ix_worker_queues_organization_id_created_at ON worker_queues (organization_id, created_at);`;

/**
 * The fill factor leaves room on each page for the next version of a row, which every heartbeat writes. Exit codes of
 * Windows are unsigned 32-bit numbers (crashes use the upper half, such as 0xC0000005), which an integer cannot hold.
 * `runtimes` and `skills` are those that the worker declares; null: it declared none, so they are unknown.
 */
const WORKERS = `
  CREATE TABLE workers (
    id text NOT NULL,
    organization_id text NOT NULL,
    worker_queue_id text NOT NULL,
    status text NOT NULL,
    hostname text,
    worker_metadata json NOT NULL,
    last_heartbeat_at timestamptz(3) NOT NULL,
    disconnected_at timestamptz(3),
    reason text,
    exit_code double precision,
    error_message text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    dormant boolean NOT NULL DEFAULT false,
    runner_name text,
    runtimes text[],
    skills text[],
    CONSTRAINT pk_workers PRIMARY KEY (id),
    CONSTRAINT fk_workers_worker_queue_id FOREIGN KEY (worker_queue_id) REFERENCES worker_queues (id) ON DELETE CASCADE
  ) WITH (fillfactor = 70);
  CREATE INDEX ix_workers_organization_id_created_at ON workers (organization_id, created_at);
  CREATE INDEX ix_workers_worker_queue_id_awake ON workers (worker_queue_id)
    WHERE status <> 'disconnected' AND NOT dormant;
  CREATE INDEX ix_workers_organization_id_runner_name ON workers (organization_id, runner_name)
    WHERE runner_name IS NOT NULL;`;

/** Workers name their runner; a runner is created when a worker names it for the first time. */
const RUNNERS = `
  CREATE TABLE runners (
    id text NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    description text,
    labels json NOT NULL,
    configuration json NOT NULL,
    tags text[] NOT NULL,
    metadata json NOT NULL,
    last_started_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT pk_runners PRIMARY KEY (id),
    CONSTRAINT uq_runners_organization_id_name UNIQUE (organization_id, name)
  );
  CREATE INDEX ix_runners_organization_id_created_at ON runners (organization_id, created_at);`;
