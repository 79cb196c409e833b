import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import type { RedisServer } from '../../tools/provision/redis.js';
import { call } from '../support/http.js';
import { startOwnRedis, type OwnServer } from '../support/own-stores.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

const KEYS = '/api/v1/auth/keys';
const LIMIT_MS = 1000;

/** A request with the key, and its result. */
interface Sent {
  readonly atMs: number;
  readonly status: number;
}

/** Sends one request after the other to a server until it is stopped. */
class Sender {
  readonly sent: Sent[] = [];
  private isStopped = false;
  private readonly ended: Promise<void>;

  constructor(
    readonly name: string,
    private readonly send: () => Promise<number>,
  ) {
    this.ended = this.run();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return this.ended;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const atMs = performance.now();
      this.sent.push({ atMs, status: await this.send() });
    }
  }
}

describe('a revoked key', () => {
  let redis: OwnServer<RedisServer>;
  let platform: Platform;
  let admin: PlatformApi;

  beforeAll(async () => {
    redis = await startOwnRedis();
    platform = await Platform.start({ controlPlanes: 2, platformApi: 2, redisUrl: redis.server.url });
    admin = new PlatformApi(platform, platform.adminKey);
  });
  afterAll(async () => {
    await platform.stop();
    await redis.remove();
  });

  /** Uses a key on every process. */
  function useEverywhere(key: string): Sender[] {
    const statusOf = async (url: string, scheme: string): Promise<number> =>
      (await call('GET', url, { scheme, key })).status;
    return [
      ...platform.controlPlanes.map(
        ({ url }, n) => new Sender(`control plane ${n}`, () => statusOf(`${url}/api/v1/client/session`, 'Bearer')),
      ),
      ...platform.platformApis.map(
        ({ url }, n) => new Sender(`platform API ${n}`, () => statusOf(`${url}/api/v1/auth/validate`, 'UserKey')),
      ),
    ];
  }

  it.each([
    ['with Redis', false],
    ['while Redis is frozen', true],
  ])('is rejected by each of four processes a second later, %s', async (_case, isFrozen) => {
    const { id, key } = (await admin.expect(201, 'POST', KEYS, { name: 'leaver' })) as { id: string; key: string };
    const senders = useEverywhere(key);
    try {
      await eventually(() => expect(senders.map(({ sent }) => sent.at(-1)?.status)).toEqual([200, 200, 200, 200]));
      if (isFrozen) process.kill(redis.server.pid, 'SIGSTOP');
      await admin.expect(204, 'DELETE', `${KEYS}/${id}`);
      const answeredMs = performance.now();
      const isLate = ({ atMs }: Sent): boolean => atMs > answeredMs + LIMIT_MS;
      await eventually(() => expect(senders.every(({ sent }) => sent.some(isLate))).toBe(true));
      await Promise.all(senders.map((sender) => sender.stop()));
      for (const { name, sent } of senders) {
        expect([name, ...new Set(sent.filter(isLate).map(({ status }) => status))]).toEqual([name, 401]);
        // After its first rejection, the key is never accepted again.
        const first = sent.find(({ status }) => status === 401);
        expect([name, sent.filter(({ atMs, status }) => status !== 401 && atMs > (first?.atMs ?? 0))]).toEqual([
          name,
          [],
        ]);
      }
    } finally {
      process.kill(redis.server.pid, 'SIGCONT');
      await Promise.all(senders.map((sender) => sender.stop()));
    }
  });
});
