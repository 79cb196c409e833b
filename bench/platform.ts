import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { provisionPostgres, type PostgresServer } from '../tools/provision/postgres.js';
import { provisionRedis } from '../tools/provision/redis.js';
import { projectRoot } from '../tools/provision/project-root.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';

const ADMIN_KEY = 'the-key-of-the-benchmark';

/**
 * The log level of production, because its cost is part of the figures, and no share limit, because one organization
 * sends all requests.
 */
const SETTINGS = { LOG_LEVEL: 'info', FAIR_SHARE_PER_SECOND: '0' };

export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** A running control plane of one build. */
export interface Build {
  readonly url: string;
  readonly key: string;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** A request that must succeed. */
  readonly call: Call;
  /** CPU time that the control plane has used, in milliseconds. */
  readonly cpuMs: () => Promise<number>;
  readonly pid: number | undefined;
}

/** This build, the baseline servers on the same PostgreSQL and Redis, and on request another build beside them. */
export interface BenchPlatform extends Build {
  readonly express: string;
  readonly http: string;
  readonly hub: string;
  /** CPU time of the process that runs all baseline servers. */
  readonly baselineCpuMs: () => Promise<number>;
  /** The build of `--against`. It uses another database on the same PostgreSQL server, and a separate Redis server. */
  readonly against: Build | null;
  stop(): Promise<void>;
}

export interface Stores {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

/** `against` is the folder of another checkout whose dist/ is built. */
export async function startBenchPlatform(against: string | null): Promise<BenchPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const postgres = await provisionPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: '200' } });
  const redis = await provisionRedis({ dataDir: join(folder, 'redis') });
  const stores = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const control = await startControlPlane(stores);
  const baseline = await startBaselineServers(stores);
  const other = against === null ? null : await startOtherBuild(against, postgres, join(folder, 'redis-against'));
  return {
    ...control.build,
    ...baseline.urls,
    baselineCpuMs: () => cpuMs(baseline.process),
    against: other?.build ?? null,
    stop: async () => {
      await Promise.all([stopProcess(control.process), stopProcess(baseline.process), other?.stop()]);
      await redis.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface ControlPlane {
  readonly build: Build;
  readonly process: ChildProcess;
}

/** Returns the entry of the control plane in `dist/`. A build of another version may have no bundles. */
function controlPlaneEntry(root = projectRoot): string {
  const bundle = 'bundles/control-plane';
  return existsSync(join(root, 'dist', `${bundle}.js`)) ? bundle : 'apps/control-plane/src/main';
}

/** `settings` are further environment variables; `root` is the folder of another build. */
export async function startControlPlane(
  stores: Stores,
  root?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ControlPlane> {
  const port = await freePort();
  const control = await startProcess({
    entry: controlPlaneEntry(root),
    env: { ...stores, ...SETTINGS, ...settings, BOOTSTRAP_ADMIN_KEY: ADMIN_KEY, CONTROL_PLANE_PORT: String(port) },
    ready: /listening on/,
    ...(root === undefined ? {} : { root }),
  });
  const url = `http://127.0.0.1:${port}`;
  const build: Build = {
    url,
    key: ADMIN_KEY,
    redisUrl: stores.REDIS_URL,
    databaseUrl: stores.DATABASE_URL,
    call: (method, path, body) => callOnce(url, method, path, body),
    cpuMs: () => cpuMs(control),
    pid: control.pid,
  };
  return { build, process: control };
}

async function startOtherBuild(
  root: string,
  postgres: PostgresServer,
  redisFolder: string,
): Promise<{ build: Build; stop: () => Promise<void> }> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('CREATE DATABASE against');
  await client.end();
  const databaseUrl = new URL(postgres.url);
  databaseUrl.pathname = '/against';
  const redis = await provisionRedis({ dataDir: redisFolder });
  const control = await startControlPlane({ DATABASE_URL: databaseUrl.href, REDIS_URL: redis.url }, root);
  return {
    build: control.build,
    stop: async () => {
      await stopProcess(control.process);
      await redis.stop();
    },
  };
}

async function startBaselineServers(
  stores: Stores,
): Promise<{ urls: Pick<BenchPlatform, 'express' | 'http' | 'hub'>; process: ChildProcess }> {
  const ports = { express: await freePort(), http: await freePort(), hub: await freePort() };
  const baseline = await startProcess({
    entry: 'bench/baseline/main',
    env: {
      ...stores,
      LOG_LEVEL: 'warn',
      EXPRESS_PORT: String(ports.express),
      HTTP_PORT: String(ports.http),
      HUB_PORT: String(ports.hub),
    },
    ready: /baseline ready/,
  });
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return { urls: { express: at(ports.express), http: at(ports.http), hub: at(ports.hub) }, process: baseline };
}

async function callOnce<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
