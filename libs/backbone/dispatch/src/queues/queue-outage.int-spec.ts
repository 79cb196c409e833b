import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { provisionRedis, type RedisServer } from '../../../../../tools/provision/redis.js';
import { DispatchHandlersModule } from '../dispatch.handlers.module.js';
import { dispatchQueue } from './dispatch-queue.js';

const QUEUE = 'sample-parcels';

@Processor(QUEUE)
class ParcelProcessor extends WorkerHost {
  readonly processed: string[] = [];

  process({ data }: Job<string>): Promise<void> {
    this.processed.push(data);
    return Promise.resolve();
  }
}

@Module({ imports: [DispatchHandlersModule, dispatchQueue(QUEUE)], providers: [ParcelProcessor] })
class ParcelsHandlersModule {}

describe('a processor whose Redis is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  let redis: RedisServer;
  let context: TestContext;

  beforeAll(async () => {
    redis = await provisionRedis({ dataDir: folder });
    process.env['TEST_REDIS_URL'] = redis.url;
    context = await createTestContext([ParcelsHandlersModule]);
  });

  afterAll(async () => {
    await redis.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const queueOf = (of: TestContext): Queue<string> =>
    of.app.get<Queue<string>>(getQueueToken(QUEUE), { strict: false });

  it('processes jobs again once Redis is reachable', async () => {
    await queueOf(context).add('parcel', 'before');
    const { processed } = context.get(ParcelProcessor);
    await eventually(() => expect(processed).toEqual(['before']));
    await redis.kill('SIGKILL');
    await redis.restart();
    await eventually(() => queueOf(context).add('parcel', 'after', { jobId: 'after' }));
    await eventually(() => expect(processed).toEqual(['before', 'after']));
  });

  it('rejects new jobs at once while Redis is unreachable', async () => {
    await redis.kill('SIGKILL');
    await expect(queueOf(context).add('parcel', 'nowhere')).rejects.toThrow();
  });

  it('starts while Redis is unreachable, and processes jobs once it is reachable', async () => {
    const early = await createTestContext([ParcelsHandlersModule], { shareWith: context });
    await expect(queueOf(early).add('parcel', 'too early')).rejects.toThrow();
    await redis.restart();
    await eventually(() => queueOf(early).add('parcel', 'early', { jobId: 'early' }));
    const processed = (): string[] => [context, early].flatMap((each) => each.get(ParcelProcessor).processed);
    await eventually(() => expect(processed()).toContain('early'));
    await early.close();
  });

  it('closes while Redis is unreachable', async () => {
    await redis.kill('SIGKILL');
    const neverConnected = await createTestContext([ParcelsHandlersModule], { shareWith: context });
    await neverConnected.close();
    await context.close();
  });
});
