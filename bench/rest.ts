import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../tools/provision/free-port.js';
import { alone, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';

/** Delay between readiness and the measurement of the memory. */
const SETTLED_MS = 2000;

interface App {
  readonly name: string;
  readonly entry: string;
  readonly ready: RegExp;
  readonly env: (platform: BenchPlatform) => Promise<Record<string, string>>;
}

const stores = ({ databaseUrl, redisUrl }: BenchPlatform): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
});

const APPS: readonly App[] = [
  {
    name: 'control plane',
    entry: 'bundles/control-plane',
    ready: /listening on/,
    env: async (platform) => ({ ...stores(platform), CONTROL_PLANE_PORT: String(await freePort()) }),
  },
  {
    name: 'platform API',
    entry: 'bundles/platform-api',
    ready: /listening on/,
    env: async (platform) => ({ ...stores(platform), PLATFORM_API_PORT: String(await freePort()) }),
  },
  {
    name: 'worker',
    entry: 'bundles/worker',
    ready: /worker ready/,
    env: async ({ url, key }) => ({ CONTROL_PLANE_URL: url, WORKER_API_KEY: key, LLM_GATEWAY_URL: url }),
  },
];

/** Start time of each app on running stores, and its memory when idle. */
export async function atRest(platform: BenchPlatform, rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const app of APPS) {
    const seconds: number[] = [];
    const megabytes: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const env = await app.env(platform);
      const started = performance.now();
      const child = await startProcess({ entry: app.entry, env, ready: app.ready });
      seconds.push((performance.now() - started) / 1000);
      await sleep(SETTLED_MS);
      megabytes.push(await residentMegabytes(child.pid));
      await stopProcess(child);
    }
    figures.push(
      alone(`${app.name}, start to ready`, 's', seconds),
      alone(`${app.name}, memory when idle`, 'MB', megabytes),
    );
  }
  return figures;
}

/** Memory of a process that is in RAM. */
export async function residentMegabytes(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) / 1024;
}
