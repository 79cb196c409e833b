import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionNats, type NatsServer } from '../../tools/provision/nats.js';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
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

export async function startOwnRedis(): Promise<OwnServer<RedisServer>> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const server = await provisionRedis({ dataDir: folder });
  const kill = (): Promise<void> => {
    recordKill();
    return server.kill('SIGKILL');
  };
  return { server, kill, remove: () => server.kill('SIGKILL').finally(() => removeFolder(folder)) };
}

export async function startOwnPostgres(): Promise<OwnServer<PostgresServer>> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const server = await provisionPostgres({ dataDir: folder, durableInit: false });
  const kill = (): Promise<void> => {
    recordKill();
    return server.kill9();
  };
  return { server, kill, remove: () => server.stop().finally(() => removeFolder(folder)) };
}

export async function startOwnNats(): Promise<OwnServer<NatsServer>> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'));
  const server = await provisionNats(folder);
  const kill = (): Promise<void> => {
    recordKill();
    return server.kill('SIGKILL');
  };
  return { server, kill, remove: () => server.stop().finally(() => removeFolder(folder)) };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
