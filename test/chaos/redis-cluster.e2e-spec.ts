import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { losses, LOSSES_TIMEOUT_MS } from '../support/chaos.js';
import { sizeOf } from '../support/long-form.js';
import type { Platform } from '../support/platform.js';
import { startOnRedis, startRedisLoad, useAllOfRedis } from '../support/redis-journey.js';
import { provisionRedisCluster, type RedisCluster } from '../../tools/provision/redis-cluster.js';
import type { RedisServer } from '../../tools/provision/redis.js';

const LOSSES = sizeOf({ short: 1, long: 3 });

describe('a platform on a Redis Cluster of three primaries and three replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
  let cluster: RedisCluster;
  let platform: Platform;

  beforeAll(async () => {
    cluster = await provisionRedisCluster({ dataDir: folder, primaries: 3, replicasPerPrimary: 1 });
    platform = await startOnRedis(cluster.url);
  });

  afterAll(async () => {
    await platform.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('works: queues, streams, schedules, webhooks, limits and cancellations', () => useAllOfRedis(platform));

  it(
    'loses no execution and no event without saying so while primaries are lost under load',
    async () => {
      const load = await startRedisLoad(platform);
      for (const loss of losses(LOSSES)) {
        const primaries = await eventually(() => cluster.primaries());
        const node = primaries[loss % primaries.length] as RedisServer;
        await load.lose(node, loss, () => cluster.waitUntilReplaced(node));
        await cluster.waitUntilFollowed();
      }
      await load.end();
    },
    LOSSES_TIMEOUT_MS,
  );
});
