import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { isAlive } from './process-identity.js';
import { pingRedis } from './redis-connection.js';
import { provisionRedis, type RedisServer } from './redis.js';

// The first run on a machine without Redis unpacks one.
jest.setTimeout(60_000);

describe('a provisioned Redis', () => {
  let folder: string;
  let server: RedisServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'provision-redis-'));
    server = await provisionRedis({ dataDir: folder });
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has every acknowledged write after a crash, on the same address', async () => {
    const { url } = server;
    await ask(server, (redis) => redis.set('kept', 'yes'));
    await server.kill('SIGKILL');
    await server.restart();
    expect(server.url).toBe(url);
    expect(await ask(server, (redis) => redis.get('kept'))).toBe('yes');
  });

  it('is empty after a restart that wipes it', async () => {
    await server.restart({ wipe: true });
    expect(await ask(server, (redis) => redis.dbsize())).toBe(0);
  });

  it('evicts nothing and flushes before it answers', async () => {
    const settings = await ask(server, (redis) => redis.config('GET', 'maxmemory*', 'appendfsync'));
    const memory = String(Math.floor(totalmem() / 2));
    expect(settings).toEqual(expect.arrayContaining(['noeviction', 'always', memory]));
  });

  it('asks for its password, which it keeps to the owner of the folder', async () => {
    expect(await pingRedis(`redis://127.0.0.1:${server.port}`)).toMatch(/^NOAUTH/);
    expect(await pingRedis(server.url)).toBe('PONG');
    expect(statSync(join(folder, 'redis.conf')).mode & 0o777).toBe(0o600);
  });

  it('keeps its password over a stop and a start on the same folder', async () => {
    const password = new URL(server.url).password;
    await server.stop();
    server = await provisionRedis({ dataDir: folder });
    expect(new URL(server.url).password).toBe(password);
  });

  it('refuses a second server on the same folder while the first runs', async () => {
    const second = provisionRedis({ dataDir: folder, formerServerTimeoutMs: 0 });
    await expect(second).rejects.toThrow(`Another Redis (process ${server.pid}) runs on ${folder}.`);
  });

  it('leaves no process behind when it is stopped', async () => {
    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
  });
});

describe('provisioning Redis', () => {
  it('names a port that is taken', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provision-redis-'));
    const port = await freePort();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
    await expect(provisionRedis({ dataDir: folder, port })).rejects.toThrow(`Port ${port} for Redis is taken.`);
    holder.close();
    rmSync(folder, { recursive: true });
  });
});

async function ask<T>(server: RedisServer, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url);
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}
