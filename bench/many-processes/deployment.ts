import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/provision/free-port.js';
import type { BenchPlatform } from '../platform.js';
import { startProcess, stopProcess } from '../processes.js';
import { startBalancer } from './balancer.js';

/** Numbers of processes of each kind. */
export interface Processes {
  readonly controlPlanes: number;
  readonly dispatchers: number;
  readonly platformApis: number;
  readonly toolServers: number;
}

export interface Deployment {
  /** The control planes behind the balancer. */
  readonly url: string;
  /** The platform APIs behind the balancer. */
  readonly platformApiUrl: string;
  readonly toolServerUrls: readonly string[];
  readonly processes: readonly { readonly kind: string; readonly process: ChildProcess }[];
  readonly stop: () => Promise<void>;
}

const NO_LIMIT = '1000000';
const LIMITS = {
  FAIR_SHARE_PER_SECOND: '0',
  RATE_LIMIT_BURST: NO_LIMIT,
  RATE_LIMIT_PER_MINUTE: NO_LIMIT,
  RATE_LIMIT_PER_DAY: NO_LIMIT,
};
const LISTENS = /listening on/;

/** Starts the processes on the stores of the platform, with HAProxy before the control planes and platform APIs. */
export async function startDeployment(platform: BenchPlatform, wanted: Processes): Promise<Deployment> {
  const stores = { DATABASE_URL: platform.databaseUrl, REDIS_URL: platform.redisUrl, LOG_LEVEL: 'info', ...LIMITS };
  const [controlPort, apiPort] = [await freePort(), await freePort()];
  const platformApiUrl = `http://127.0.0.1:${apiPort}`;
  const processes: { kind: string; process: ChildProcess }[] = [];
  const start = async (
    kind: string,
    count: number,
    settings: (port: string) => Record<string, string>,
  ): Promise<number[]> => {
    const ports: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const port = await freePort();
      const entry = `bundles/${kind === 'dispatcher' ? 'control-plane' : kind}`;
      processes.push({ kind, process: await startProcess({ entry, env: settings(String(port)), ready: LISTENS }) });
      ports.push(port);
    }
    return ports;
  };
  const control = (role: string) => (port: string) => ({
    ...stores,
    CONTROL_PLANE_ROLE: role,
    CONTROL_PLANE_PORT: port,
  });
  const controlPlanes = await start('control-plane', wanted.controlPlanes, control('http'));
  await start('dispatcher', wanted.dispatchers, control('dispatcher'));
  const platformApis = await start('platform-api', wanted.platformApis, (port) => ({
    ...stores,
    PLATFORM_API_PORT: port,
  }));
  const tools = { PLATFORM_API_URL: platformApiUrl, SERVICE_API_KEY: platform.key };
  const toolServers = await start('tool-server', wanted.toolServers, (port) => ({ ...tools, TOOL_SERVER_PORT: port }));
  const folder = await mkdtemp(join(tmpdir(), 'platform-many-'));
  const balancer = await startBalancer(folder, [
    { name: 'control-plane', port: controlPort, servers: controlPlanes },
    { name: 'platform-api', port: apiPort, servers: platformApis },
  ]);
  return {
    url: `http://127.0.0.1:${controlPort}`,
    platformApiUrl,
    toolServerUrls: toolServers.map((port) => `http://127.0.0.1:${port}`),
    processes,
    stop: async () => {
      await balancer.stop('SIGTERM', 5000);
      await Promise.all(processes.map(({ process }) => stopProcess(process)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
