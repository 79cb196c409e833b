import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { eventually } from '@app/testing';
import { Worker } from 'bullmq';
import { provisionRedis, type RedisServer } from '../../../../../tools/provision/redis.js';

describe('the connection for queues', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  let redis: RedisServer;
  let connections: RedisConnections;

  beforeAll(async () => {
    redis = await provisionRedis({ dataDir: folder });
    connections = new RedisConnections({ url: redis.url });
    await connections.forQueues.ping();
  });

  afterAll(async () => {
    connections.onApplicationShutdown();
    await redis.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('returns the version of Redis to a worker that is created while Redis does not respond', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    const version = connections.forQueues.info();
    await expect(connections.forQueues.ping()).rejects.toThrow('Command timed out');
    process.kill(redis.pid, 'SIGCONT');
    expect(await version).toContain('redis_version:');

    process.kill(redis.pid, 'SIGSTOP');
    const worker = new Worker('sample', () => Promise.resolve(), { connection: connections.forQueues });
    worker.on('error', () => undefined);
    await expect(connections.forQueues.ping()).rejects.toThrow('Command timed out');
    process.kill(redis.pid, 'SIGCONT');
    await eventually(() => worker.waitUntilReady());
    await worker.close();
  });

  it('rejects commands after it was closed', async () => {
    const closed = new RedisConnections({ url: redis.url });
    await closed.forQueues.ping();
    closed.onApplicationShutdown();
    await expect(closed.forQueues.info()).rejects.toThrow('Connection is closed');
  });
});
