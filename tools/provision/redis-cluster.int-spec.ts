import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisConnections } from '@app/redis';
import { countTo, eventually, slotOf } from '@app/testing';
import { provisionRedisCluster, type RedisCluster } from './redis-cluster.js';

const SLOTS = 16_384;

describe('the connections to a Redis Cluster', () => {
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

  const keysOfAllNodes = countTo(30).map((n) => `key-${n}`);

  it('accept commands from the start, on keys of all nodes', async () => {
    const { commands } = connections;
    await Promise.all(keysOfAllNodes.map((key) => commands.set(key, key)));
    expect(await Promise.all(keysOfAllNodes.map((key) => commands.get(key)))).toEqual(keysOfAllNodes);
    const sizes = await Promise.all((await connections.primaries()).map((primary) => primary.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(sizes.every((size) => size > 0)).toBe(true);
  });

  it('know the slots of keys as the nodes do', async () => {
    const keys = ['', 'key', '{a}b', 'a{b}c{d}', '{}a', 'a{', 'a{{b}}', 'bull:{work.q-1}:wait', 'ä{ö}ü'];
    const [primary] = await connections.primaries();
    const expected = await Promise.all(keys.map(async (key) => primary?.cluster('KEYSLOT', key)));
    expect(keys.map(slotOf)).toEqual(expected);
    expect(expected.every((slot) => Number(slot) < SLOTS)).toBe(true);
  });

  it('receive messages wherever they are published', async () => {
    const received: string[] = [];
    const channels = countTo(6).map((n) => `channel-${n}`);
    for (const channel of channels) {
      await connections.subscriptions.open(channel, { onMessage: (message) => received.push(message.toString()) });
    }
    const primaries = await connections.primaries();
    await Promise.all(primaries.map((primary, n) => primary.publish('channel-1', `node ${n}`)));
    await eventually(() => expect(received.toSorted()).toEqual(['node 0', 'node 1', 'node 2']));
    await Promise.all(channels.map((channel) => connections.commands.publish(channel, channel)));
    await eventually(() => expect(received.toSorted()).toEqual([...channels, 'node 0', 'node 1', 'node 2']));
  });

  it('continue when a primary was killed, and reject within the limit until then', async () => {
    const [primary] = await connections.primaries();
    const node = cluster.nodes.find(({ port }) => port === primary?.options.port);
    let resumed = 0;
    const received: string[] = [];
    await connections.subscriptions.open('after', {
      onMessage: (message) => received.push(message.toString()),
      onResumed: () => (resumed += 1),
    });
    await node?.kill('SIGKILL');
    const lost = keysOfAllNodes.map((key) => connections.commands.set(key, 'new'));
    const outcomes = await Promise.allSettled(lost);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    await eventually(() => Promise.all(keysOfAllNodes.map((key) => connections.commands.set(key, 'new'))));
    await cluster.waitUntilComplete();
    await eventually(async () => {
      await connections.commands.publish('after', 'received');
      expect(received).toContain('received');
    });
    // The connection of the subscriptions was to any of the six nodes.
    expect(resumed).toBeLessThanOrEqual(1);
    await node?.restart();
    await cluster.waitUntilComplete();
  });

  it('reject commands while all nodes are away, and accept them afterwards', async () => {
    await Promise.all(cluster.nodes.map((node) => node.kill('SIGKILL')));
    await expect(connections.commands.get('key-1')).rejects.toThrow();
    await expect(connections.commands.get('key-1')).rejects.toThrow('Command timed out');
    const closed = new RedisConnections({ url: cluster.url });
    await expect(closed.commands.get('key-1')).rejects.toThrow('Command timed out');
    closed.onApplicationShutdown();
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await cluster.waitUntilComplete();
    await eventually(() => connections.commands.set('key-1', 'again'));
  });
});
