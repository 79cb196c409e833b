import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { ManualClock, eventually } from '@app/testing';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { provisionRedis, type RedisServer } from '../../../../../tools/provision/redis.js';
import { EventBusHealth } from './event-bus-health.js';
import { EventProviders } from './event-providers.js';

const noProviders = new EventProviders(new DiscoveryService(new ModulesContainer()));

describe('EventBusHealth', () => {
  let folder: string;
  let redis: RedisServer;
  let connections: RedisConnections;
  let health: EventBusHealth;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-bus-'));
    redis = await provisionRedis({ dataDir: folder });
    connections = new RedisConnections({ url: redis.url });
    health = new EventBusHealth(connections, new ManualClock(), noProviders);
  });
  afterAll(async () => {
    connections.onApplicationShutdown();
    await redis.stop();
    await rm(folder, { recursive: true });
  });

  it('is healthy if a published message is received, and lists the disabled providers', async () => {
    const off = { enabled: false, healthy: null, status: 'disabled', latency_ms: null };
    expect(await health.check()).toEqual({
      status: 'healthy',
      providers: {
        redis: { enabled: true, healthy: true, status: 'healthy', latency_ms: expect.any(Number) },
        http: off,
        websocket: off,
        nats: off,
      },
      timestamp: new Date('2026-01-01T00:00:00.000Z'),
    });
  });

  it('shares one probe between all checks within a second', () => {
    expect(health.check()).toBe(health.check());
  });

  it('is healthy once Redis accepts the subscription that it rejected at first', async () => {
    const acl = (...rules: string[]): Promise<unknown> =>
      connections.commands.call('ACL', 'SETUSER', 'probe', ...rules);
    await acl('on', '>secret', '~*', '+@all', 'resetchannels');
    const url = Object.assign(new URL(redis.url), { username: 'probe', password: 'secret' });
    const refused = new RedisConnections({ url: url.toString() });
    try {
      const other = new EventBusHealth(refused, new ManualClock(), noProviders);
      expect(await other.check()).toMatchObject({ status: 'unhealthy' });
      await acl('allchannels');
      await eventually(async () => expect(await other.check()).toMatchObject({ status: 'healthy' }));
    } finally {
      refused.onApplicationShutdown();
    }
  });

  it('is unhealthy while Redis hangs or is unreachable, and healthy again afterwards', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    await eventually(async () => expect(await health.check()).toMatchObject({ status: 'unhealthy' }));
    process.kill(redis.pid, 'SIGCONT');
    await eventually(async () => expect(await health.check()).toMatchObject({ status: 'healthy' }));
    await redis.stop();
    await eventually(async () =>
      expect(await health.check()).toMatchObject({
        status: 'unhealthy',
        providers: { redis: { enabled: true, healthy: false, status: 'unhealthy', latency_ms: null } },
      }),
    );
    await redis.restart();
    await eventually(async () => expect(await health.check()).toMatchObject({ status: 'healthy' }));
  });
});
