import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** Tables like the platform's in what costs: width of the row, its indexes, the outbox and the counters. */
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
    INSERT INTO bench_counts VALUES ('job', 0) ON CONFLICT DO NOTHING;
    INSERT INTO bench_executions (id, organization_id, job_id, status, prompt) VALUES ('patched', 'org', 'job', 'running', 'x')
      ON CONFLICT DO NOTHING;`);
}

/** One durable start: insert the row, insert the outbox entry, count it. */
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
