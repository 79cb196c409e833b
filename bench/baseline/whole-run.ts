// The baseline of a whole run: the durable steps that any control plane of this design needs, without a framework.
// POST → INSERT (commit) → BullMQ add → 202; BullMQ worker → UPDATE running → POST to the worker process → UPDATE
// completed → XADD.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { jsonClient } from '../json-client.js';
import { keepTally } from '../whole-run/tally.js';
import type { BaselineRun, BaselineRunResult } from './whole-run-worker.js';

const CONCURRENCY = 50;
const QUEUE = '{whole-run-baseline}';

const { DATABASE_URL = '', REDIS_URL = '', PORT = '', WORKER_URL = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });
const commands = new Redis(REDIS_URL);
const connect = (): Redis => new Redis(REDIS_URL, { maxRetriesPerRequest: null });
const queue = new Queue<BaselineRun>(QUEUE, { connection: connect(), defaultJobOptions: { removeOnComplete: true } });
const worker = jsonClient(WORKER_URL);
const tally = keepTally();

await pool.query(`
  CREATE TABLE baseline_executions (
    id text PRIMARY KEY, job_id text NOT NULL, status text NOT NULL, input json NOT NULL, output json,
    created_at timestamptz(3) NOT NULL DEFAULT now(), updated_at timestamptz(3) NOT NULL DEFAULT now(),
    started_at timestamptz(3), completed_at timestamptz(3));
  CREATE INDEX baseline_executions_job ON baseline_executions (job_id, created_at DESC);
  CREATE INDEX baseline_executions_status ON baseline_executions (status, created_at);`);
const consumer = new Worker<BaselineRun>(QUEUE, async ({ data }) => execute(data), {
  connection: connect(),
  concurrency: CONCURRENCY,
});
await consumer.waitUntilReady();
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => void trigger(Buffer.concat(chunks), response));
}).listen(Number(PORT), '127.0.0.1', () => console.log('whole-run baseline ready'));

async function trigger(body: Buffer, response: ServerResponse): Promise<void> {
  const run = { ...(JSON.parse(body.toString()) as Omit<BaselineRun, 'id'>), id: randomUUID() };
  await pool.query({
    name: 'insert',
    text: `INSERT INTO baseline_executions (id, job_id, status, input) VALUES ($1, 'job', 'pending', $2)`,
    values: [run.id, JSON.stringify(run)],
  });
  await queue.add('execution', run);
  response.writeHead(202, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id: run.id }));
}

async function execute(run: BaselineRun): Promise<void> {
  await pool.query({
    name: 'running',
    text: `UPDATE baseline_executions SET status = 'running', started_at = now(), updated_at = now()
           WHERE id = $1 AND status = 'pending'`,
    values: [run.id],
  });
  const result = await worker<BaselineRunResult>('POST', '/run', run);
  await pool.query({
    name: 'completed',
    text: `UPDATE baseline_executions SET status = 'completed', output = $2, completed_at = now(), updated_at = now()
           WHERE id = $1 AND status = 'running'`,
    values: [run.id, JSON.stringify(result)],
  });
  await commands.xadd(
    'whole-run-baseline:events',
    'MAXLEN',
    '~',
    10_000,
    '*',
    'd',
    JSON.stringify({ id: run.id, type: 'completed' }),
  );
  tally.started(result.receivedAt - run.sentAt);
  tally.finished();
}
