import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { losses, LOSSES_TIMEOUT_MS } from '../support/chaos.js';
import { sizeOf } from '../support/long-form.js';
import type { Platform } from '../support/platform.js';
import { startOnRedis, startRedisLoad, useAllOfRedis } from '../support/redis-journey.js';
import { provisionRedisSentinels, type RedisSentinels } from '../../tools/provision/redis-sentinels.js';

const LOSSES = sizeOf({ short: 1, long: 4 });

describe('a platform on a primary and a replica that three sentinels watch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-sentinels-'));
  let redis: RedisSentinels;
  let platform: Platform;

  beforeAll(async () => {
    redis = await provisionRedisSentinels(folder);
    platform = await startOnRedis(redis.url, { env: redis.settings });
  });

  afterAll(async () => {
    await platform.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('works: queues, streams, schedules, webhooks, limits and cancellations', () => useAllOfRedis(platform));

  it(
    'loses no execution and no event without saying so while primaries are lost under load',
    async () => {
      const load = await startRedisLoad(platform);
      for (const loss of losses(LOSSES)) {
        const port = await redis.primaryPort();
        const primary = redis.servers.find((server) => server.port === port) ?? redis.servers[0];
        await load.lose(primary, loss, () =>
          eventually(async () => expect([0, port]).not.toContain(await redis.primaryPort())),
        );
        await redis.waitUntilFollowed();
      }
      await load.end();
    },
    LOSSES_TIMEOUT_MS,
  );
});
