import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { isAlive } from './process-identity.js';
import { pingRedis } from './redis-connection.js';
import { provisionRedis, type RedisServer } from './redis.js';

// The first run on a machine without Redis downloads and unpacks one.

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

  it('keeps every acknowledged write and its address after a crash', async () => {
    const { url } = server;
    await withRedis(server, (redis) => redis.set('kept', 'yes'));
    await server.kill('SIGKILL');
    await server.restart();
    expect(server.url).toBe(url);
    expect(await withRedis(server, (redis) => redis.get('kept'))).toBe('yes');
  });

  it('is empty after a restart with wipe', async () => {
    await server.restart({ wipe: true });
    expect(await withRedis(server, (redis) => redis.dbsize())).toBe(0);
  });

  it('evicts nothing and flushes each write before it replies', async () => {
    const settings = await withRedis(server, (redis) => redis.config('GET', 'maxmemory*', 'appendfsync'));
    const memory = String(Math.floor(totalmem() / 2));
    expect(settings).toEqual(expect.arrayContaining(['noeviction', 'always', memory]));
  });

  it('writes nothing to disk if it need not be durable', async () => {
    const ofTests = await provisionRedis({ dataDir: join(folder, 'not-durable'), durable: false });
    try {
      expect(await withRedis(ofTests, (redis) => redis.config('GET', 'appendonly', 'save'))).toEqual(
        expect.arrayContaining(['no', '']),
      );
      await withRedis(ofTests, (redis) => redis.set('key', 'value'));
      expect(readdirSync(join(folder, 'not-durable', 'data'))).toEqual([]);
    } finally {
      await ofTests.stop();
    }
  });

  it('requires its password and stores it in a file that only the owner can read', async () => {
    const address = { host: '127.0.0.1', port: server.port };
    expect(await pingRedis(address)).toMatch(/^NOAUTH/);
    expect(await pingRedis({ ...address, password: new URL(server.url).password })).toBe('PONG');
    expect(statSync(join(folder, 'redis.conf')).mode & 0o777).toBe(0o600);
  });

  it('keeps its password when it is stopped and started again on the same folder', async () => {
    const password = new URL(server.url).password;
    await server.stop();
    server = await provisionRedis({ dataDir: folder });
    expect(new URL(server.url).password).toBe(password);
  });

  it('rejects a second server on the same folder while the first runs', async () => {
    const second = provisionRedis({ dataDir: folder, formerServerTimeoutMs: 0 });
    await expect(second).rejects.toThrow(`Another Redis (process ${server.pid}) is running on ${folder}.`);
  });

  it('leaves no process when it is stopped', async () => {
    const { pid } = server;
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
  });
});

describe('provisioning Redis', () => {
  it('names the port that is already in use', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provision-redis-'));
    const port = await freePort();
    const otherServer = createServer();
    await new Promise<void>((resolve) => otherServer.listen(port, '127.0.0.1', resolve));
    await expect(provisionRedis({ dataDir: folder, port })).rejects.toThrow(
      `Port ${port} for Redis is already in use.`,
    );
    otherServer.close();
    rmSync(folder, { recursive: true });
  });
});

async function withRedis<T>(server: RedisServer, run: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url);
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}
