import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import { jsonClient } from './json-client.js';
import type { BenchPlatform } from './platform.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';

const MODEL = 'development-model';
/** Until V8 has optimized the code of the path. */
const WARM_UP_RUNS = 400;
const CALLERS = 16;
const DRAIN_TIMEOUT_MS = 120_000;
/** Each run has an agent, a request to a model, an execution, its trigger, its wait and its attempt. */
const SPANS_PER_RUN = 6;

/** A control plane and its worker. */
interface Side {
  readonly processes: readonly ChildProcess[];
  /** Starts a run and returns its id. */
  readonly start: () => Promise<string>;
  readonly isTraced: boolean;
}

/**
 * CPU time of a run of an agent with one request to a model, in the control plane and in the worker together, with
 * tracing on; compared with the same run with tracing off, on the same stores.
 */
export async function tracing(platform: BenchPlatform, rounds: number, runs: number): Promise<Figure[]> {
  const gatewayPort = await freePort();
  const env = { MODEL_GATEWAY_PORT: String(gatewayPort) };
  const gateway = await startProcess({ entry: 'tools/model-gateway/main', env, ready: /listening on/ });
  const database = new Client({ connectionString: platform.databaseUrl });
  await database.connect();
  const sides: Side[] = [];
  try {
    for (const isTraced of [false, true]) sides.push(await startSide(platform, gatewayPort, isTraced));
    for (const side of sides) await cpuOf(side, database, WARM_UP_RUNS);
    const measures = sides.map((side) => () => cpuOf(side, database, runs));
    const [baseline = [], ours = []] = await inTurn(measures, rounds);
    const label = { name: 'run of an agent with tracing, CPU', unit: 'ms', baselineIs: 'the same run without tracing' };
    return [toFigure(label, { ours, baseline, against: [] })];
  } finally {
    for (const { processes } of sides) for (const child of processes.toReversed()) await stopProcess(child);
    await stopProcess(gateway);
    await database.end();
  }
}

async function startSide(platform: BenchPlatform, gatewayPort: number, isTraced: boolean): Promise<Side> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const shared = { TRACE_EXECUTIONS: String(isTraced), LOG_LEVEL: 'info' };
  const stores = { DATABASE_URL: platform.databaseUrl, REDIS_URL: platform.redisUrl };
  const control = await startProcess({
    entry: 'bundles/control-plane',
    env: { ...shared, ...stores, FAIR_SHARE_PER_SECOND: '0', CONTROL_PLANE_PORT: String(port) },
    ready: /listening on/,
  });
  const name = `bench-tracing-${isTraced ? 'on' : 'off'}`;
  const send = jsonClient(url, { Authorization: `Bearer ${platform.key}` });
  const [environment] = await platform.call<{ id: string }[]>('GET', '/api/v1/environments');
  if (environment === undefined) throw new Error('There is no environment');
  const path = `/api/v1/environments/${environment.id}/worker-queues`;
  const queue = await send<{ id: string }>('POST', path, { name });
  const agent = await send<{ id: string }>('POST', '/api/v1/agents', { name, model_id: MODEL });
  const worker = await startProcess({
    entry: 'bundles/worker',
    env: {
      ...shared,
      CONTROL_PLANE_URL: url,
      WORKER_API_KEY: platform.key,
      WORKER_QUEUE: queue.id,
      WORKER_CONCURRENCY: String(CALLERS),
      LLM_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}/v1`,
    },
    ready: /worker ready/,
  });
  const body = { prompt: 'Say [[say hello]]', worker_queue_id: queue.id };
  const start = async (): Promise<string> =>
    (await send<{ execution_id: string }>('POST', `/api/v1/agents/${agent.id}/execute`, body)).execution_id;
  return { processes: [control, worker], start, isTraced };
}

/** Returns the CPU time per run, until all runs have ended and all their spans are stored. */
async function cpuOf(side: Side, database: Client, runs: number): Promise<number> {
  const used = async (): Promise<number> => {
    const times = await Promise.all(side.processes.map(cpuMs));
    return times.reduce((sum, time) => sum + time, 0);
  };
  const before = await used();
  const ids: string[] = [];
  const caller = async (): Promise<void> => {
    for (let n = 0; n < runs / CALLERS; n += 1) ids.push(await side.start());
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await drain(database, ids, side.isTraced);
  return ((await used()) - before) / ids.length;
}

/** Asks the database, because a question to the control plane would cost it CPU time. */
async function drain(database: Client, ids: readonly string[], isTraced: boolean): Promise<void> {
  const text = isTraced
    ? `SELECT count(*)::integer AS runs FROM traces WHERE execution_id = ANY($1) AND span_count >= ${SPANS_PER_RUN}`
    : 'SELECT count(*)::integer AS runs FROM executions WHERE id = ANY($1) AND completed_at IS NOT NULL';
  const deadline = performance.now() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const { rows } = await database.query<{ runs: number }>(text, [ids]);
    if (rows[0]?.runs === ids.length) return;
    if (performance.now() > deadline) throw new Error(`Only ${rows[0]?.runs} of ${ids.length} runs ended in time`);
    await sleep(100);
  }
}
