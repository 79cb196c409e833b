import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { eventually, testRedisUrl } from '@app/testing';
import { Redis } from 'ioredis';
import { ClusterCommands } from './cluster-commands.js';
import { RedisOpener } from './open-redis.js';
import type { RedisClient } from './redis-client.js';

const LIMIT_MS = 200;

/** Forwards connections to Redis. While it is frozen, no byte of a client arrives. */
class FreezableProxy {
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {
    server.on('connection', (client: Socket) => this.forward(client));
  }

  static async to(url: string): Promise<FreezableProxy> {
    const server = createServer();
    const proxy = new FreezableProxy(new URL(url), server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.toString();
  }

  freeze(): void {
    this.isFrozen = true;
  }

  /** Closes all connections; those that follow are not frozen. */
  disconnect(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.disconnect();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    const upstream = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    client.on('data', (bytes: Buffer) => this.isFrozen || upstream.write(bytes));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    upstream.pipe(client);
  }
}

describe('a command', () => {
  let proxy: FreezableProxy;
  let commands: RedisClient;
  let redis: Redis;
  let key: string;

  beforeEach(async () => {
    proxy = await FreezableProxy.to(testRedisUrl());
    commands = new RedisOpener({ url: proxy.url }).commands(LIMIT_MS);
    commands.on('error', () => undefined);
    redis = new Redis(testRedisUrl());
    key = `test:${newId()}`;
  });
  afterEach(async () => {
    commands.disconnect();
    await redis.del(key);
    redis.disconnect();
    await proxy.close();
  });

  it('that was reported as failed is not sent when the connection is restored', async () => {
    await commands.ping();
    proxy.freeze();
    const writes = [commands.multi().incr(key).exec(), commands.incr(key)];
    const failure = { status: 'rejected', reason: { message: 'Command timed out' } };
    expect(await Promise.allSettled(writes)).toMatchObject([failure, failure]);
    proxy.disconnect();
    await eventually(() => commands.ping());
    expect(await redis.get(key)).toBeNull();
    expect(await commands.incr(key)).toBe(1);
  });

  it('that a replica rejects fails, and is not repeated', async () => {
    const demoted = `redis.call('INCR', KEYS[1]); return redis.error_reply("READONLY You can't write")`;
    await expect(commands.eval(demoted, 1, key)).rejects.toThrow('READONLY');
    await eventually(() => commands.ping());
    expect(await commands.get(key)).toBe('1');
  });

  it('is sent once to a cluster that becomes ready twice', async () => {
    const cluster = new ClusterCommands([{ host: '127.0.0.1', port: 1 }], { redisOptions: {} }, LIMIT_MS);
    cluster.on('error', () => undefined);
    const pending = cluster.get(key);
    for (let times = 0; times < 2; times += 1) cluster.emit('ready');
    const { offlineQueue } = cluster as unknown as { readonly offlineQueue: { readonly length: number } };
    expect(offlineQueue.length).toBe(1);
    await expect(pending).rejects.toThrow('Command timed out');
    cluster.disconnect();
  });
});
