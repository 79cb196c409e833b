import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { provisionRedis, type RedisServer } from './redis.js';
import { waitUntil } from './wait-until.js';

export interface RedisClusterOptions {
  readonly dataDir: string;
  readonly primaries: number;
  readonly replicasPerPrimary: number;
  /** Returns further lines of the configuration of each node. */
  readonly settings?: (index: number) => readonly string[];
}

/** A Redis Cluster of this machine, for tests. Its data is in memory. */
export interface RedisCluster {
  /** Names all nodes. */
  readonly url: string;
  /** The primaries come first, as the cluster was created. */
  readonly nodes: readonly RedisServer[];
  /** Waits until each slot has a primary and each node that runs knows it. */
  waitUntilComplete(): Promise<void>;
  /** Returns the nodes that are primaries at present. All nodes must run. */
  primaries(): Promise<RedisServer[]>;
  /** Waits until the cluster is complete and each node that is not a primary has all data of one. */
  waitUntilFollowed(): Promise<void>;
  /** Waits until the slots of a primary that was killed have another primary. */
  waitUntilReplaced(killed: RedisServer): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const PASSWORD = 'password-of-the-cluster';
/** A node that does not respond for this time has failed. */
const NODE_TIMEOUT_MS = 1500;
const RESPONSE_TIMEOUT_MS = 1000;
/** Sufficient for a machine on which every process waits for a CPU. */
const FORM_TIMEOUT_MS = 120_000;
const CHECK_INTERVAL_MS = 30;

/** Starts a cluster. Its folder must not contain another one. */
export async function provisionRedisCluster(options: RedisClusterOptions): Promise<RedisCluster> {
  const size = options.primaries * (1 + options.replicasPerPrimary);
  const nodes = await Promise.all(Array.from({ length: size }, (_, index) => startNode(options, index)));
  const cluster = new ProvisionedCluster(nodes, options.primaries);
  await cluster.form();
  return cluster;
}

async function startNode({ dataDir, settings }: RedisClusterOptions, index: number): Promise<RedisServer> {
  return provisionRedis({
    dataDir: join(dataDir, `node-${index}`),
    durable: false,
    password: PASSWORD,
    settings: [
      'cluster-enabled yes',
      // The default, ten thousand above the port, can exceed the largest port.
      `cluster-port ${await freePort()}`,
      `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
      'repl-diskless-sync-delay 0',
      `masterauth ${PASSWORD}`,
      ...(settings?.(index) ?? []),
    ],
  });
}

class ProvisionedCluster implements RedisCluster {
  constructor(
    readonly nodes: readonly RedisServer[],
    private readonly primaryCount: number,
  ) {}

  get url(): string {
    return `redis+cluster://:${PASSWORD}@${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`;
  }

  /** Assigns the slots to the first nodes and makes each other node a replica of one of them. */
  async form(): Promise<void> {
    const primaries = this.primaryCount;
    const clients = this.nodes.map(clientOf);
    try {
      await Promise.all(clients.slice(0, primaries).map((client, index) => takeSlots(client, index, primaries)));
      const [first, ...others] = clients;
      const busPorts = await Promise.all(others.map(busPortOf));
      await Promise.all(
        busPorts.map(async (port, index) =>
          first?.cluster('MEET', '127.0.0.1', this.nodes[index + 1]?.port ?? 0, port),
        ),
      );
      await until(() => allOf(clients, async (client) => knows(await client.cluster('NODES'), clients.length)));
      const ids = await Promise.all(clients.map((client) => client.cluster('MYID')));
      const replicas = clients.slice(primaries);
      await Promise.all(replicas.map((client, index) => client.cluster('REPLICATE', ids[index % primaries] ?? '')));
      await until(() =>
        allOf(replicas, async (client) => (await client.info('replication')).includes('master_link_status:up')),
      );
    } finally {
      clients.forEach((client) => client.disconnect());
    }
    await this.waitUntilComplete();
  }

  waitUntilComplete(): Promise<void> {
    return this.untilAllSay('INFO', isComplete);
  }

  async primaries(): Promise<RedisServer[]> {
    const infos = await this.replicationInfos();
    return this.nodes.filter((_node, index) => infos[index]?.includes('role:master'));
  }

  async waitUntilFollowed(): Promise<void> {
    await this.waitUntilComplete();
    await until(async () => {
      const infos = await this.replicationInfos().catch(() => []);
      // A node that returns is a primary until it knows the one that has replaced it.
      const primaries = infos.filter((info) => info.includes('role:master'));
      const followed = infos.filter((info) => info.includes('master_link_status:up'));
      return primaries.length === this.primaryCount && primaries.length + followed.length === this.nodes.length;
    });
  }

  private async replicationInfos(): Promise<string[]> {
    const clients = this.nodes.map(clientOf);
    try {
      return await Promise.all(clients.map((client) => client.info('replication')));
    } finally {
      clients.forEach((client) => client.disconnect());
    }
  }

  async waitUntilReplaced({ port }: RedisServer): Promise<void> {
    const failed = new RegExp(`:${port}@\\S+ \\S*fail(?!\\?)`);
    await this.untilAllSay('NODES', (nodes) => failed.test(nodes));
    await this.untilAllSay('INFO', isComplete);
  }

  /** Waits until all nodes that run respond to `CLUSTER INFO` or `CLUSTER NODES` as expected. */
  private async untilAllSay(question: 'INFO' | 'NODES', isExpected: (response: string) => boolean): Promise<void> {
    const clients = this.nodes.map(clientOf);
    try {
      await until(async () => {
        const responses = await Promise.allSettled(clients.map((client) => ask(client, question)));
        const known = responses.flatMap((response) => (response.status === 'fulfilled' ? [response.value] : []));
        return known.length > 0 && known.every(isExpected);
      });
    } finally {
      clients.forEach((client) => client.disconnect());
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

function clientOf({ url }: RedisServer): Redis {
  // A killed node refuses connections and a frozen one does not respond, which are expected results.
  const options = { retryStrategy: () => null, maxRetriesPerRequest: 0, commandTimeout: RESPONSE_TIMEOUT_MS };
  return new Redis(url, options).on('error', () => undefined);
}

async function takeSlots(client: Redis, index: number, primaries: number): Promise<void> {
  const from = Math.floor((SLOTS * index) / primaries);
  const to = Math.floor((SLOTS * (index + 1)) / primaries);
  await client.cluster('ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
  // Nodes with the same epoch would first have to agree on another one.
  await client.cluster('SET-CONFIG-EPOCH', index + 1);
}

/** Returns the port of the cluster bus, which the line of the node itself contains: `ip:port@busPort`. */
async function busPortOf(client: Redis): Promise<number> {
  return Number(/@(\d+)/.exec(String(await client.cluster('NODES')))?.[1]);
}

async function ask(client: Redis, question: 'INFO' | 'NODES'): Promise<string> {
  return String(await (question === 'INFO' ? client.cluster('INFO') : client.cluster('NODES')));
}

function isComplete(info: string): boolean {
  return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
}

function knows(nodes: unknown, count: number): boolean {
  const lines = String(nodes).trim().split('\n');
  return lines.length === count && lines.every((line) => !/handshake|noaddr/.test(line));
}

async function allOf<T>(values: readonly T[], check: (value: T) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(values.map(check))).every(Boolean);
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const result = await waitUntil(async () => ((await check()) ? true : undefined), {
    timeoutMs: FORM_TIMEOUT_MS,
    intervalMs: CHECK_INTERVAL_MS,
  });
  if (result === undefined) throw new Error('The Redis Cluster did not become complete');
}
