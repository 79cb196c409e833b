import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** Tables with the same cost as those of the platform: equal row width, indexes, outbox and counters. */
export async function prepareTables(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE IF NOT EXISTS bench_executions (
      id text PRIMARY KEY, organization_id text NOT NULL, job_id text NOT NULL, status text NOT NULL, prompt text,
      usage json NOT NULL DEFAULT '{}', metadata json NOT NULL DEFAULT '{}', created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(), started_at timestamptz(3), completed_at timestamptz(3));
    CREATE INDEX IF NOT EXISTS bench_executions_list ON bench_executions (organization_id, created_at, id);
    CREATE INDEX IF NOT EXISTS bench_executions_job ON bench_executions (organization_id, job_id, created_at);
    CREATE TABLE IF NOT EXISTS bench_outbox (id text PRIMARY KEY, topic text NOT NULL, payload json NOT NULL);
    CREATE TABLE IF NOT EXISTS bench_counts (job_id text PRIMARY KEY, total integer NOT NULL);
    CREATE TABLE IF NOT EXISTS bench_workers (id text PRIMARY KEY, status text NOT NULL, last_heartbeat_at timestamptz(3));
    CREATE TABLE IF NOT EXISTS bench_leases (id text PRIMARY KEY, worker_id text NOT NULL, expires_at timestamptz(3));
    CREATE INDEX IF NOT EXISTS bench_leases_worker ON bench_leases (worker_id);
    INSERT INTO bench_workers VALUES ('worker', 'active') ON CONFLICT DO NOTHING;
    INSERT INTO bench_leases VALUES ('lease', 'worker') ON CONFLICT DO NOTHING;
    INSERT INTO bench_counts VALUES ('job', 0) ON CONFLICT DO NOTHING;
    INSERT INTO bench_executions (id, organization_id, job_id, status, prompt) VALUES ('patched', 'org', 'job', 'running', 'x')
      ON CONFLICT DO NOTHING;`);
}

/** One durable start: inserts the row and the outbox entry and counts it, in one transaction. */
export async function triggerRow(pool: Pool, body: object): Promise<string> {
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query({
      name: 'insert-execution',
      text: `INSERT INTO bench_executions (id, organization_id, job_id, status, prompt) VALUES ($1, 'org', 'job', 'pending', $2)`,
      values: [id, JSON.stringify(body)],
    });
    await client.query({
      name: 'insert-outbox',
      text: `INSERT INTO bench_outbox (id, topic, payload) VALUES ($1, 'execution.start', $2)`,
      values: [id, JSON.stringify({ id })],
    });
    await client.query({ name: 'count', text: `UPDATE bench_counts SET total = total + 1 WHERE job_id = 'job'` });
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return id;
}

export async function patchRow(pool: Pool, body: object): Promise<unknown> {
  const { rows } = await pool.query({
    name: 'patch',
    text: `UPDATE bench_executions SET status = 'running', usage = $1, updated_at = now()
           WHERE organization_id = 'org' AND id = 'patched' RETURNING *`,
    values: [JSON.stringify(body)],
  });
  return rows[0];
}

/** Records a heartbeat and renews the lease of the worker. */
export async function heartbeatRows(pool: Pool): Promise<unknown> {
  const { rows } = await pool.query({
    name: 'heartbeat',
    text: `UPDATE bench_workers SET last_heartbeat_at = now() WHERE id = 'worker' RETURNING id, status, last_heartbeat_at`,
  });
  await pool.query({
    name: 'renew',
    text: `UPDATE bench_leases SET expires_at = now() + interval '1 minute' WHERE worker_id = 'worker'`,
  });
  return rows[0];
}

/** Reads the worker, then the queue, then the leases. */
export async function pollRows(pool: Pool, look: () => Promise<unknown>): Promise<unknown> {
  await pool.query({ name: 'poller', text: `SELECT id, status FROM bench_workers WHERE id = 'worker'` });
  await look();
  await pool.query({ name: 'commands', text: `SELECT id FROM bench_leases WHERE worker_id = 'nobody'` });
  return [];
}
