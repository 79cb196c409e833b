import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { newId } from '@app/kernel';
import { countTo, eventually, slotOf } from '@app/testing';
import { Queue, Worker } from 'bullmq';
import { provisionRedisCluster, type RedisCluster } from '../../../../../tools/provision/redis-cluster.js';
import { BullQueues } from '../task-queues/bull-queues.js';
import type { Delivery } from '../task-queues/delivery.js';
import { RedisRestartDetector } from '../task-queues/redis-restart-detector.js';

/** Like the prefix of `dispatchQueue`. */
const PREFIX = '{queues}';

describe('queues in a Redis Cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
  let cluster: RedisCluster;
  let connections: RedisConnections;

  beforeAll(async () => {
    cluster = await provisionRedisCluster({ dataDir: folder, primaries: 3, replicasPerPrimary: 1 });
    connections = new RedisConnections({ url: cluster.url });
  });

  afterAll(async () => {
    connections.onApplicationShutdown();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const deliveries = (count: number): Delivery[] =>
    countTo(count).map(() => ({ organizationId: 'org', executionId: newId(), attempt: 1 }));

  it('give each delivery once, whatever node has the queue', async () => {
    const queues = new BullQueues(connections);
    for (const queueId of countTo(8).map(() => newId())) {
      const added = deliveries(5);
      await queues.add(queueId, added);
      await queues.add(queueId, added);
      expect(await queues.missing(queueId, [...added, ...deliveries(1)])).toHaveLength(1);
      expect(await queues.count(queueId)).toBe(5);
      const taken: Delivery[] = [];
      for await (const delivery of queues.take(queueId, 4)) taken.push(delivery);
      expect(taken).toEqual(added.slice(0, 4));
      await queues.delete(queueId);
      expect(await queues.count(queueId)).toBe(0);
    }
  });

  it('wake a worker at each instant of a schedule, also after the primary of the queue or all nodes were killed', async () => {
    const detector = new RedisRestartDetector(connections);
    const first = await detector.unseenRun();
    expect(first?.id.split(' ')).toHaveLength(3);
    if (first !== undefined) await detector.markSeen(first);
    expect(await detector.unseenRun()).toBeUndefined();

    const options = { connection: connections.forQueues, prefix: PREFIX };
    let processed = 0;
    const worker = new Worker('sample', () => Promise.resolve((processed += 1)), options);
    const queue = new Queue('sample', { ...options, skipWaitingForReady: true, skipVersionCheck: true });
    worker.on('error', () => undefined);
    queue.on('error', () => undefined);
    const expectWakeUps = async (): Promise<void> => {
      await eventually(() => queue.upsertJobScheduler('every-second', { pattern: '* * * * * *' }, { name: 'fire' }));
      const before = processed;
      await eventually(() => expect(processed).toBeGreaterThan(before + 1));
    };
    await expectWakeUps();

    const port = await portOf(`${PREFIX}:sample:wait`);
    const primary = cluster.nodes.find((node) => node.port === port);
    if (primary === undefined) throw new Error(`No node with port ${port}`);
    await primary.kill('SIGKILL');
    await cluster.waitUntilReplaced(primary);
    // The last writes can be missing, among them the next wake-up: the platform sets lost schedules again.
    await expectWakeUps();
    const after = await eventually(() => detector.unseenRun());
    expect(after).toMatchObject({ past: 'kept' });

    await Promise.all(cluster.nodes.filter((node) => node !== primary).map((node) => node.kill('SIGKILL')));
    await expect(queue.add('fire', 'nowhere')).rejects.toThrow();
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await expectWakeUps();
    await worker.close();
    await queue.close();
  });

  /** Returns the port of the primary that has a key. */
  async function portOf(key: string): Promise<number | undefined> {
    const slot = slotOf(key);
    const [node] = await connections.primaries();
    const ranges = (await node?.cluster('SLOTS')) ?? [];
    return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1];
  }
});
