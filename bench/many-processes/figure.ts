import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { alone, inTurn, toFigure, type Figure } from '../figures.js';
import { ask } from '../ipc.js';
import { jsonClient } from '../json-client.js';
import type { BenchPlatform, Call } from '../platform.js';
import { startProcess, stopProcess } from '../processes.js';
import { residentMegabytes } from '../rest.js';
import { startDeployment, type Deployment, type Processes } from './deployment.js';

const MANY: Processes = { controlPlanes: 4, dispatchers: 2, platformApis: 2, toolServers: 2 };
const ONE: Processes = { controlPlanes: 1, dispatchers: 1, platformApis: 1, toolServers: 1 };
const WORKERS = 50;
const CALLERS = 32;
const DRAIN_MS = 300_000;
/** Part of the time before the measurement: each process runs code that V8 has not optimized. */
const WARM_UP = 0.3;

/** The stored executions of a job that are not exactly once pending, leased, running and completed. */
const WRONG = `
  SELECT e.id, e.status, e.attempt FROM executions e
  WHERE e.job_id = $1 AND (e.status <> 'completed' OR e.attempt <> 1
    OR (SELECT count(*) FROM execution_transitions t WHERE t.organization_id = e.organization_id
      AND t.execution_id = e.id AND t.to_status = 'completed') <> 1)`;

interface Measured {
  readonly finishedPerSecond: number;
  readonly databaseConnections: number;
  readonly redisConnections: number;
  /** Mean resident memory of the processes of each kind, in MB. */
  readonly megabytes: ReadonlyMap<string, number>;
}

/**
 * Four control planes, two dispatchers, two platform APIs and two tool servers behind HAProxy run the executions of 50
 * workers for a while, compared with one process of each kind. Throws if an execution is lost or runs twice.
 */
export async function manyProcesses(platform: BenchPlatform, rounds: number, seconds: number): Promise<Figure[]> {
  const job = await newJob(platform.call);
  const sides = [ONE, MANY].map((processes) => () => measure(platform, processes, job, seconds));
  const [one = [], many = []] = await inTurn(sides, rounds);
  const compared = (name: string, unit: string, value: (measured: Measured) => number): Figure =>
    toFigure(
      { name: `4 + 2 + 2 + 2 processes, ${WORKERS} workers, ${name}`, unit, baselineIs: 'one process of each kind' },
      { ours: many.map(value), baseline: one.map(value), against: [] },
    );
  const kinds = [...(many[0]?.megabytes.keys() ?? [])];
  return [
    compared('finished', '/s', ({ finishedPerSecond }) => finishedPerSecond),
    compared('connections to PostgreSQL', '', ({ databaseConnections }) => databaseConnections),
    compared('connections to Redis', '', ({ redisConnections }) => redisConnections),
    ...kinds.map((kind) => compared(`memory of a ${kind}`, 'MB', ({ megabytes }) => megabytes.get(kind) ?? Number.NaN)),
    alone('executions lost or run twice', '', [0]),
  ];
}

interface Job {
  readonly id: string;
  readonly queue: string;
}

async function newJob(call: Call): Promise<Job> {
  const queue = 'bench-many-processes';
  await call('POST', '/api/v1/environments/default/worker-queues', { name: queue });
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name: queue });
  const { id } = await call<{ id: string }>('POST', '/api/v1/jobs', {
    name: queue,
    trigger_type: 'manual',
    entity_id: agent.id,
    prompt_template: 'Go',
    executor_type: 'specific_queue',
    worker_queue_name: queue,
  });
  return { id, queue };
}

async function measure(platform: BenchPlatform, processes: Processes, job: Job, seconds: number): Promise<Measured> {
  const idle = await connections(platform);
  const deployment = await startDeployment(platform, processes);
  try {
    const workers = await startProcess({
      entry: 'bench/many-processes/workers',
      env: {
        CONTROL_PLANE_URL: deployment.url,
        WORKER_API_KEY: platform.key,
        QUEUE_NAME: job.queue,
        WORKERS: `${WORKERS}`,
      },
      ready: /worker ready/,
      timeoutMs: 60_000,
    });
    const early = await triggerFor(deployment, platform.key, job.id, seconds * WARM_UP);
    await drain(workers, early.length);
    const started = performance.now();
    const accepted = await triggerFor(deployment, platform.key, job.id, seconds);
    const busy = await connections(platform);
    const megabytes = await memoryOf(deployment);
    await drain(workers, early.length + accepted.length);
    const elapsed = (performance.now() - started) / 1000;
    await requireOnce(platform, job.id, [...early, ...accepted], workers);
    await stopProcess(workers);
    return {
      finishedPerSecond: accepted.length / elapsed,
      databaseConnections: busy.database - idle.database,
      redisConnections: busy.redis - idle.redis,
      megabytes,
    };
  } finally {
    await deployment.stop();
  }
}

/** Triggers the job for a while, and reads from the platform APIs and the tool servers. Returns the executions. */
async function triggerFor(deployment: Deployment, key: string, jobId: string, seconds: number): Promise<string[]> {
  const end = performance.now() + seconds * 1000;
  const send = jsonClient(deployment.url, { Authorization: `Bearer ${key}` });
  const accepted: string[] = [];
  const repeat = async (step: () => Promise<unknown>): Promise<void> => {
    while (performance.now() < end) await step();
  };
  const get = async (url: string, headers: Record<string, string> = {}): Promise<void> => {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} returned ${response.status}`);
    await sleep(100);
  };
  await Promise.all([
    ...Array.from({ length: CALLERS }, () =>
      repeat(async () => {
        const started = await send<{ execution_id: string }>('POST', `/api/v1/jobs/${jobId}/trigger`, {});
        accepted.push(started.execution_id);
      }),
    ),
    repeat(() => get(`${deployment.platformApiUrl}/api/v1/auth/me`, { Authorization: `UserKey ${key}` })),
    ...deployment.toolServerUrls.map((url) => repeat(() => get(`${url}/api/health/ready`))),
  ]);
  return accepted;
}

async function drain(workers: ChildProcess, executions: number): Promise<void> {
  const deadline = performance.now() + DRAIN_MS;
  while ((await ask<number>(workers, 'ended')) < executions) {
    if (performance.now() > deadline) throw new Error(`Not all of ${executions} executions finished in time`);
    await sleep(100);
  }
}

/** Throws unless each accepted execution, and no other, was leased once, acknowledged once and completed once. */
async function requireOnce(
  { databaseUrl }: BenchPlatform,
  jobId: string,
  accepted: readonly string[],
  workers: ChildProcess,
): Promise<void> {
  const { leased, ended } = await ask<{ leased: string[]; ended: string[] }>(workers, 'work');
  for (const [what, ids] of Object.entries({ accepted, leased, ended })) {
    const distinct = new Set(ids);
    if (distinct.size !== ids.length) throw new Error(`${ids.length - distinct.size} executions were ${what} twice`);
    const missing = accepted.filter((id) => !distinct.has(id));
    if (missing.length > 0 || ids.length !== accepted.length) {
      throw new Error(
        `${ids.length} executions were ${what} instead of ${accepted.length}; missing: ${missing.join(', ')}`,
      );
    }
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(WRONG, [jobId]);
    if (rows.length > 0) throw new Error(`Executions without exactly one end: ${JSON.stringify(rows)}`);
  } finally {
    await client.end();
  }
}

async function connections({ databaseUrl, redisUrl }: BenchPlatform): Promise<{ database: number; redis: number }> {
  const client = new Client({ connectionString: databaseUrl });
  const redis = new Redis(redisUrl);
  await client.connect();
  try {
    const text = `SELECT count(*)::integer AS backends FROM pg_stat_activity WHERE backend_type = 'client backend'`;
    const { rows } = await client.query<{ backends: number }>(text);
    const [, clients = '0'] = /^connected_clients:(\d+)/m.exec(await redis.info('clients')) ?? [];
    return { database: rows[0]?.backends ?? 0, redis: Number(clients) };
  } finally {
    redis.disconnect();
    await client.end();
  }
}

async function memoryOf({ processes }: Deployment): Promise<Map<string, number>> {
  const all = new Map<string, number[]>();
  for (const { kind, process } of processes) {
    all.set(kind, [...(all.get(kind) ?? []), await residentMegabytes(process.pid)]);
  }
  return new Map([...all].map(([kind, each]) => [kind, each.reduce((sum, one) => sum + one, 0) / each.length]));
}
