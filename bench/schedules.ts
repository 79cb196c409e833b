import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { alone, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';
import { percentile } from './statistics.js';

const MINUTE_MS = 60_000;
/** The time until the jobs are due: the dispatcher has to make their schedulers before. */
const LEAD_MS = 90_000;

/** Copies of a disabled cron job that are due at `$3`. `$2`: their number; `$4`: their schedule. */
const COPY_JOBS = `
  INSERT INTO jobs SELECT (json_populate_record(job, json_build_object('id', job.id || '-' || n, 'enabled', true,
    'engine_schedule_id', job.id || '-' || n, 'next_execution_at', $3::timestamptz, 'cron_schedule', $4::text))).*
  FROM jobs job, generate_series(1, $2::integer) n WHERE job.id = $1`;

const LAGS = `
  SELECT (extract(epoch FROM created_at - (trigger_metadata->>'scheduled_at')::timestamptz) * 1000)::float8 AS lag
  FROM executions WHERE trigger_type = 'cron' AND status = 'pending' AND job_id LIKE $1 || '-%'`;

/** Cron jobs that are due in the same minute: the time from the instant to the stored execution, in one dispatcher. */
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
    while ((await redis.zcard('{queues}:job-schedules:repeat')) < jobs) await delay(200);
    if (Date.now() > due.getTime()) throw new Error('The schedulers were not made before the jobs were due');
    let lags: number[] = [];
    while (lags.length < jobs) {
      await delay(1000);
      const { rows } = await database.query<{ lag: number }>(LAGS, [jobId]);
      lags = rows.map(({ lag }) => lag);
    }
    await database.query("DELETE FROM jobs WHERE id LIKE $1 || '-%'", [jobId]);
    const name = `${jobs.toLocaleString('en')} cron jobs due in the same minute`;
    return [0.5, 0.99].map((part) => alone(`${name}, lag p${part * 100}`, 'ms', [percentile(lags, part)]));
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
    ...{ name: queue, trigger_type: 'cron', cron_schedule: '* * * * *', enabled: false, prompt_template: 'Go' },
    ...{ entity_id: agent.id, executor_type: 'specific_queue', worker_queue_name: queue },
  });
  return job.id;
}
