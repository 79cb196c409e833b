import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { provisionNats } from '../tools/provision/nats.js';
import { provisionRedis } from '../tools/provision/redis.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import { jsonClient } from './json-client.js';
import { load } from './load.js';
import type { BenchPlatform } from './platform.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';

const ADMIN_KEY = 'the-key-of-the-benchmark';
const CONNECTIONS = 32;
const EVENT = {
  event_type: 'message_chunk',
  data: { role: 'assistant', content: 'A few words of an answer', is_chunk: true },
};

/** A control plane for requests with a dispatcher, on stores of their own. */
interface Side {
  readonly publishUrl: string;
  /** CPU time of the process that serves the publish requests, and of the dispatcher. */
  readonly cpuMs: () => Promise<readonly [number, number]>;
  readonly stop: () => Promise<void>;
}

/**
 * Publishes while every provider follows the log (a WebSocket needs none: NATS, and a webhook that asks for `done`),
 * beside publishes to Redis alone. Dispatchers deliver the events, so their CPU time affects publishes only if the
 * machine is saturated.
 */
export async function besideProviders(platform: BenchPlatform, rounds: number, seconds: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'providers-bench-'));
  const nats = await provisionNats(join(folder, 'nats'));
  const alone = await startSide(platform, join(folder, 'alone'), 'redis_alone', {});
  const all = await startSide(platform, join(folder, 'all'), 'all_providers', { NATS_URL: nats.url });
  const measure = (side: Side) => async () => {
    const before = await side.cpuMs();
    const headers = { Authorization: `Bearer ${ADMIN_KEY}` };
    const { perSecond, requests } = await load({
      ...{ url: side.publishUrl, method: 'POST', headers, body: EVENT, connections: CONNECTIONS, seconds },
    });
    const [cpuUs = 0, dispatcherUs = 0] = (await side.cpuMs()).map(
      (after, index) => ((after - (before[index] ?? 0)) / requests) * 1000,
    );
    return { perSecond, cpuUs, dispatcherUs };
  };
  try {
    await inTurn([measure(alone), measure(all)], 1);
    const [limit = [], ours = []] = await inTurn([measure(alone), measure(all)], rounds);
    const name = `publish with all providers, ${CONNECTIONS} at once`;
    const limitIs = 'the same with Redis alone';
    return [
      toFigure({ name, unit: '/s', limitIs }, { ours: ours.map(rateOf), limit: limit.map(rateOf), against: [] }),
      toFigure(
        { name: `${name}, CPU per request`, unit: 'µs', limitIs },
        { ours: ours.map(cpuOf), limit: limit.map(cpuOf), against: [] },
      ),
      toFigure(
        { name: `${name}, CPU of the dispatcher`, unit: 'µs', limitIs },
        { ours: ours.map(dispatcherOf), limit: limit.map(dispatcherOf), against: [] },
      ),
    ];
  } finally {
    await Promise.all([alone.stop(), all.stop()]);
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly dispatcherUs: number;
}

const rateOf = ({ perSecond }: Result): number => perSecond;
const cpuOf = ({ cpuUs }: Result): number => cpuUs;
const dispatcherOf = ({ dispatcherUs }: Result): number => dispatcherUs;

async function startSide(
  { databaseUrl }: BenchPlatform,
  redisFolder: string,
  database: string,
  providers: Readonly<Record<string, string>>,
): Promise<Side> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  const own = new URL(databaseUrl);
  own.pathname = `/${database}`;
  const redis = await provisionRedis({ dataDir: redisFolder });
  const start = async (role: string): Promise<{ url: string; process: Awaited<ReturnType<typeof startProcess>> }> => {
    const port = await freePort();
    const env = {
      ...{ DATABASE_URL: own.href, REDIS_URL: redis.url, LOG_LEVEL: 'info', FAIR_SHARE_PER_SECOND: '0' },
      ...{ BOOTSTRAP_ADMIN_KEY: ADMIN_KEY, CONTROL_PLANE_ROLE: role, CONTROL_PLANE_PORT: String(port) },
      ...{ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', ...providers },
    };
    const process = await startProcess({ entry: 'bundles/control-plane', env, ready: /listening on/ });
    return { url: `http://127.0.0.1:${port}`, process };
  };
  const http = await start('http');
  const dispatcher = await start('dispatcher');
  const send = jsonClient(http.url, { Authorization: `Bearer ${ADMIN_KEY}` });
  const { execution_id: id } = await send<{ execution_id: string }>('POST', '/api/v1/executions/create', {
    prompt: 'x',
  });
  if (Object.keys(providers).length > 0) {
    await send('POST', '/api/v1/webhooks', { url: `${http.url}/api/health/live`, events: ['done'] });
  }
  return {
    publishUrl: `${http.url}/api/v1/executions/${id}/events`,
    cpuMs: () => Promise.all([cpuMs(http.process), cpuMs(dispatcher.process)]),
    stop: async () => {
      await Promise.all([stopProcess(http.process), stopProcess(dispatcher.process)]);
      await redis.stop();
    },
  };
}
