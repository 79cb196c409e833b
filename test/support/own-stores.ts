import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionPostgres, type PostgresServer } from '../../tools/provision/postgres.js';
import { provisionRedis, type RedisServer } from '../../tools/provision/redis.js';

/** A server that belongs to one test, which may kill it. */
export interface OwnServer<Server> {
  readonly server: Server;
  /** Ends it, and leaves nothing of it. */
  remove(): Promise<void>;
}

export async function ownRedis(): Promise<OwnServer<RedisServer>> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const server = await provisionRedis({ dataDir: folder });
  return { server, remove: () => server.kill('SIGKILL').finally(() => removeFolder(folder)) };
}

export async function ownPostgres(): Promise<OwnServer<PostgresServer>> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const server = await provisionPostgres({ dataDir: folder, durableInit: false });
  return { server, remove: () => server.stop().finally(() => removeFolder(folder)) };
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
