import { join } from 'node:path';
import { Redis } from 'ioredis';
import { provisionRedis, type RedisServer } from './redis.js';
import { waitUntil } from './wait-until.js';

/** A primary with a replica, and sentinels that watch them, for tests. Its data is in memory. */
export interface RedisSentinels {
  /** Names the sentinels. */
  readonly url: string;
  /** The variables of a process that uses the sentinels, besides the URL. */
  readonly settings: Readonly<Record<string, string>>;
  /** The primary at first, then its replica. */
  readonly servers: readonly [RedisServer, RedisServer];
  /** Returns the port of the current primary, as most sentinels know it. */
  primaryPort(): Promise<number>;
  /** Waits until the other server follows the current primary, so that it can replace it. */
  waitUntilFollowed(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'password-of-the-primary';
const SENTINEL_PASSWORD = 'password-of-the-sentinels';
const NAME = 'platform';
const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 1000;
/** Sufficient for a machine on which every process waits for a CPU. */
const FORM_TIMEOUT_MS = 120_000;
const CHECK_INTERVAL_MS = 50;

/** Starts all servers. Resolves when the replica follows and the sentinels know each other. */
export async function provisionRedisSentinels(dataDir: string): Promise<RedisSentinels> {
  const primary = await startServer(join(dataDir, 'server-0'), []);
  const replica = await startServer(join(dataDir, 'server-1'), [`replicaof 127.0.0.1 ${primary.port}`]);
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, (_, index) => startSentinel(join(dataDir, `sentinel-${index}`), primary.port)),
  );
  const started = new ProvisionedSentinels([primary, replica], sentinels);
  await started.waitUntilFormed();
  return started;
}

function startServer(dataDir: string, settings: readonly string[]): Promise<RedisServer> {
  return provisionRedis({
    dataDir,
    durable: false,
    password: PASSWORD,
    settings: [`masterauth ${PASSWORD}`, 'repl-diskless-sync-delay 0', ...settings],
  });
}

function startSentinel(dataDir: string, primaryPort: number): Promise<RedisServer> {
  return provisionRedis({
    dataDir,
    sentinel: true,
    password: SENTINEL_PASSWORD,
    settings: [
      `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} ${QUORUM}`,
      `sentinel auth-pass ${NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 6000`,
    ],
  });
}

class ProvisionedSentinels implements RedisSentinels {
  readonly settings = { REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD };

  constructor(
    readonly servers: readonly [RedisServer, RedisServer],
    private readonly sentinels: readonly RedisServer[],
  ) {}

  get url(): string {
    const hosts = this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join();
    return `redis+sentinel://:${PASSWORD}@${hosts}/${NAME}`;
  }

  async primaryPort(): Promise<number> {
    const ports = await this.ask(async (sentinel) => {
      const [, port] = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
      return Number(port);
    });
    return ports.find((port) => ports.filter((other) => other === port).length >= QUORUM) ?? 0;
  }

  async waitUntilFormed(): Promise<void> {
    await until('The sentinels did not find each other', async () => {
      const infos = await this.ask((sentinel) => sentinel.info('sentinel'));
      return infos.every((info) => info.includes(`sentinels=${SENTINELS}`) && info.includes('slaves=1'));
    });
    await this.waitUntilFollowed();
  }

  waitUntilFollowed(): Promise<void> {
    return until('The replica does not follow the primary', async () => {
      const infos = await askAll(this.servers, (server) => server.info('replication'));
      return infos.some((info) => info.includes('role:slave') && info.includes('master_link_status:up'));
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((server) => server.stop()));
  }

  private ask<T>(question: (sentinel: Redis) => Promise<T>): Promise<T[]> {
    return askAll(this.sentinels, question);
  }
}

async function askAll<T>(servers: readonly RedisServer[], question: (client: Redis) => Promise<T>): Promise<T[]> {
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    return await Promise.all(clients.map(question));
  } finally {
    clients.forEach((client) => client.disconnect());
  }
}

async function until(failure: string, check: () => Promise<boolean>): Promise<void> {
  const result = await waitUntil(async () => ((await check()) ? true : undefined), {
    timeoutMs: FORM_TIMEOUT_MS,
    intervalMs: CHECK_INTERVAL_MS,
  });
  if (result === undefined) throw new Error(failure);
}
