import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { alone, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';
import { percentile } from './statistics.js';

const MINUTE_MS = 60_000;
/** The time until the jobs are due; the dispatcher must create their schedulers before that time. */
const LEAD_MS = 90_000;

/** Copies of a disabled cron job that are due at `$3`. `$2`: their number; `$4`: their schedule. */
const COPY_JOBS = `
  INSERT INTO jobs SELECT (json_populate_record(job, json_build_object('id', job.id || '-' || n, 'enabled', true,
    'engine_schedule_id', job.id || '-' || n, 'next_execution_at', $3::timestamptz, 'cron_schedule', $4::text))).*
  FROM jobs job, generate_series(1, $2::integer) n WHERE job.id = $1`;

/** Moves one of the copies to an organization of its own, where its agent does not exist: its execution fails at once. */
const MOVE_TO_NEIGHBOR = `UPDATE jobs SET organization_id = 'bench-neighbor' WHERE id = $1`;

/** Lags in the order of the starts. */
const LAGS = `
  SELECT (extract(epoch FROM created_at - (trigger_metadata->>'scheduled_at')::timestamptz) * 1000)::float8 AS lag,
    organization_id = 'bench-neighbor' AS is_neighbor
  FROM executions WHERE trigger_type = 'cron' AND job_id LIKE $1 || '-%' ORDER BY lag`;

interface Start {
  readonly lag: number;
  readonly is_neighbor: boolean;
}

/**
 * The time from the instant to the stored execution, of cron jobs that are due in the same minute, with one dispatcher. All
 * belong to one organization, except for one job of a neighbor.
 */
export async function manyDueAtOnce(platform: BenchPlatform, jobs: number): Promise<Figure[]> {
  const { databaseUrl, redisUrl } = platform;
  const database = new Client({ connectionString: databaseUrl });
  const redis = new Redis(redisUrl);
  await database.connect();
  try {
    const jobId = await prepareJob(platform);
    const due = new Date(Math.ceil((Date.now() + LEAD_MS) / MINUTE_MS) * MINUTE_MS);
    const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
    await database.query(COPY_JOBS, [jobId, jobs, due, schedule]);
    await database.query(MOVE_TO_NEIGHBOR, [`${jobId}-${jobs}`]);
    while ((await redis.zcard('{queues}:job-schedules:repeat')) < jobs) await delay(200);
    if (Date.now() > due.getTime()) throw new Error('The schedulers were not made before the jobs were due');
    await delay(due.getTime() - Date.now() - 1000);
    const before = await platform.cpuMs();
    let started: Start[] = [];
    while (started.length < jobs) {
      await delay(1000);
      started = (await database.query<Start>(LAGS, [jobId])).rows;
    }
    const cpuMs = (await platform.cpuMs()) - before;
    await database.query("DELETE FROM jobs WHERE id LIKE $1 || '-%'", [jobId]);
    const name = `${jobs.toLocaleString('en')} cron jobs due in the same minute`;
    const lags = started.map(({ lag }) => lag);
    const neighbor = started.filter(({ is_neighbor }) => is_neighbor).map(({ lag }) => lag);
    return [
      ...[0.5, 0.99, 1].map((part) => alone(`${name}, lag p${part * 100}`, 'ms', [percentile(lags, part)])),
      alone(`${name}, lag of a neighbor's only job`, 'ms', neighbor),
      alone(`${name}, CPU of each start`, 'ms', [cpuMs / jobs]),
    ];
  } finally {
    redis.disconnect();
    await database.end();
  }
}

/** Returns the id of a disabled job whose runs wait in a queue of their own. */
async function prepareJob({ call }: BenchPlatform): Promise<string> {
  const queue = 'bench-schedules';
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name: queue });
  await call('POST', '/api/v1/environments/default/worker-queues', { name: queue });
  const job = await call<{ id: string }>('POST', '/api/v1/jobs', {
    name: queue,
    trigger_type: 'cron',
    cron_schedule: '* * * * *',
    enabled: false,
    prompt_template: 'Go',
    entity_id: agent.id,
    executor_type: 'specific_queue',
    worker_queue_name: queue,
  });
  return job.id;
}
