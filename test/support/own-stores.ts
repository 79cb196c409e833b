import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionNats, type NatsServer } from '../../tools/provision/nats.js';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
import type { ProvisionedServer } from '../../tools/provision/provisioned-server.js';
import { provisionRedis, type RedisServer } from '../../tools/provision/redis.js';
import { recordKill } from './chaos.js';

/** A server that one test uses alone, so that it can kill it. */
export interface OwnServer<Server> {
  readonly server: Server;
  /** Kills the server as a crash does; `server.restart` starts it again. */
  kill(): Promise<void>;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

export function startOwnRedis(): Promise<OwnServer<RedisServer>> {
  return startOwn('redis', (dataDir) => provisionRedis({ dataDir }));
}

export function startOwnPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnServer<PostgresServer>> {
  return startOwn('postgres', (dataDir) => provisionPostgres({ dataDir, durableInit: false, settings }));
}

export function startOwnNats(): Promise<OwnServer<NatsServer>> {
  return startOwn('nats', provisionNats);
}

async function startOwn<Server extends ProvisionedServer>(
  name: string,
  provision: (dataDir: string) => Promise<Server>,
): Promise<OwnServer<Server>> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const server = await provision(folder);
  const kill = (): Promise<void> => {
    recordKill();
    return server.kill('SIGKILL');
  };
  const remove = (): Promise<void> => server.stop().finally(() => rmSync(folder, { recursive: true, force: true }));
  return { server, kill, remove };
}
