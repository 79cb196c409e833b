import type { ChildProcess } from 'node:child_process';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { provisionRedis } from '../tools/provision/redis.js';
import { jsonClient, type Send } from './json-client.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';

const ADMIN_KEY = 'the-key-of-the-benchmark';
export const ADMIN_HEADERS = { Authorization: `Bearer ${ADMIN_KEY}` };

interface SideOptions {
  readonly database: string;
  readonly redisFolder: string;
  /** Settings of the providers, for both processes. */
  readonly providers: Readonly<Record<string, string>>;
}

/** A control plane for requests with a dispatcher, on stores of their own. */
export interface Side {
  readonly url: string;
  readonly send: Send;
  readonly http: ChildProcess;
  readonly dispatcher: ChildProcess;
  readonly stop: () => Promise<void>;
}

export async function startSide({ databaseUrl }: BenchPlatform, options: SideOptions): Promise<Side> {
  const { database, redisFolder, providers } = options;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  const own = new URL(databaseUrl);
  own.pathname = `/${database}`;
  const redis = await provisionRedis({ dataDir: redisFolder });
  const start = async (role: string): Promise<{ url: string; process: ChildProcess }> => {
    const port = await freePort();
    const env = {
      DATABASE_URL: own.href,
      REDIS_URL: redis.url,
      LOG_LEVEL: 'info',
      FAIR_SHARE_PER_SECOND: '0',
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      CONTROL_PLANE_ROLE: role,
      CONTROL_PLANE_PORT: String(port),
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      ...providers,
    };
    const process = await startProcess({ entry: 'bundles/control-plane', env, ready: /listening on/ });
    return { url: `http://127.0.0.1:${port}`, process };
  };
  const http = await start('http');
  const dispatcher = await start('dispatcher');
  return {
    url: http.url,
    send: jsonClient(http.url, ADMIN_HEADERS),
    http: http.process,
    dispatcher: dispatcher.process,
    stop: async () => {
      await Promise.all([stopProcess(http.process), stopProcess(dispatcher.process)]);
      await redis.stop();
    },
  };
}

/** Creates an execution and returns the path of its events. */
export async function newEventsPath(send: Send): Promise<string> {
  const { execution_id: id } = await send<{ execution_id: string }>('POST', '/api/v1/executions/create', {
    prompt: 'x',
  });
  return `/api/v1/executions/${id}/events`;
}
