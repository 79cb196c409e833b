import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../tools/provision/free-port.js';
import { provisionPostgres } from '../tools/provision/postgres.js';
import { provisionRedis } from '../tools/provision/redis.js';
import { startProcess, stopProcess } from './processes.js';

const ADMIN_KEY = 'the-key-of-the-benchmark';

export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** The platform and the bare limits beside it, on the same PostgreSQL and Redis. */
export interface BenchPlatform {
  readonly url: string;
  readonly express: string;
  readonly http: string;
  readonly hub: string;
  readonly key: string;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** A call that must succeed. */
  readonly call: Call;
  stop(): Promise<void>;
}

export async function startBenchPlatform(): Promise<BenchPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const postgres = await provisionPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: '200' } });
  const redis = await provisionRedis({ dataDir: join(folder, 'redis') });
  const ports = { control: await freePort(), express: await freePort(), http: await freePort(), hub: await freePort() };
  const stores = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  // At info the log costs what it costs in production.
  const settings = { LOG_LEVEL: 'info', BOOTSTRAP_ADMIN_KEY: ADMIN_KEY, CONTROL_PLANE_PORT: String(ports.control) };
  const control = await startProcess('apps/control-plane/src/main', { ...stores, ...settings }, /listening on/);
  const baseline = await startProcess(
    'bench/baseline/main',
    {
      ...stores,
      LOG_LEVEL: 'warn',
      EXPRESS_PORT: String(ports.express),
      HTTP_PORT: String(ports.http),
      HUB_PORT: String(ports.hub),
    },
    /baseline ready/,
  );
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    url: at(ports.control),
    express: at(ports.express),
    http: at(ports.http),
    hub: at(ports.hub),
    key: ADMIN_KEY,
    redisUrl: redis.url,
    databaseUrl: postgres.url,
    call: (method, path, body) => callOnce(at(ports.control), method, path, body),
    stop: async () => {
      await Promise.all([stopProcess(control), stopProcess(baseline)]);
      await redis.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function callOnce<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
