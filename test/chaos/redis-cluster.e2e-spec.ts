import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { sizeOf } from '../support/long-form.js';
import type { Platform } from '../support/platform.js';
import { startOnRedis, startRedisLoad, useAllOfRedis, type Loss } from '../support/redis-journey.js';
import { provisionRedisCluster, type RedisCluster } from '../../tools/provision/redis-cluster.js';
import type { RedisServer } from '../../tools/provision/redis.js';

/** How primaries are lost, one after another. */
const LOSSES: readonly Loss[] = (['killed', 'frozen', 'behind'] as const).slice(0, sizeOf({ short: 1, long: 3 }));

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

  it('loses no execution and no event without saying so while primaries are lost under load', async () => {
    const load = await startRedisLoad(platform);
    for (const [index, how] of LOSSES.entries()) {
      const node = cluster.nodes[index] as RedisServer;
      await load.lose(node, how, () => cluster.waitUntilReplaced(node));
      await cluster.waitUntilComplete();
    }
    await load.end();
  });
});
