import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from './free-port.js';
import { provisionNats, type NatsServer } from './nats.js';
import { waitUntil } from './wait-until.js';

/** A NATS cluster of this machine, for tests. */
export interface NatsCluster {
  /** Names all servers. */
  readonly url: string;
  readonly servers: readonly NatsServer[];
  /** Returns the server that leads a stream; undefined while there is none. */
  leaderOf(stream: string): Promise<NatsServer | undefined>;
  /** Waits until all servers have the whole stream. */
  waitUntilReplicated(stream: string): Promise<void>;
  stop(): Promise<void>;
}

const SIZE = 3;
const TOKEN = 'token-of-the-cluster';
/** A cluster elects a leader after 4 to 9 s. */
const LIMITS = { timeoutMs: 120_000, intervalMs: 100 };
const nameOf = (index: number): string => `server-${index}`;

/** Starts a cluster of three servers. Resolves when JetStream can create streams. */
export async function provisionNatsCluster(dataDir: string): Promise<NatsCluster> {
  const ports: number[] = [];
  while (ports.length < SIZE) ports.push(await freePort());
  const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`);
  const started = ports.map((port, index) =>
    provisionNats(join(dataDir, nameOf(index)), {
      token: TOKEN,
      configuration: { server_name: nameOf(index), cluster: { name: 'platform', listen: `127.0.0.1:${port}`, routes } },
    }),
  );
  const cluster = new ProvisionedNatsCluster(await Promise.all(started));
  await cluster.waitUntilFormed();
  return cluster;
}

class ProvisionedNatsCluster implements NatsCluster {
  constructor(readonly servers: readonly NatsServer[]) {}

  get url(): string {
    return `nats://${TOKEN}@${this.addresses.join()}`;
  }

  async leaderOf(stream: string): Promise<NatsServer | undefined> {
    return this.withClient(async (client) => {
      const { cluster } = await (await jetstreamManager(client)).streams.info(stream);
      return this.servers.find((_server, index) => nameOf(index) === cluster?.leader);
    });
  }

  waitUntilReplicated(stream: string): Promise<void> {
    return until(
      'The servers of NATS do not have the whole stream',
      async (client) => {
        const { cluster } = await (await jetstreamManager(client)).streams.info(stream);
        const followers = cluster?.replicas ?? [];
        return followers.length === SIZE - 1 && followers.every(({ current, offline }) => current && !offline);
      },
      this,
    );
  }

  waitUntilFormed(): Promise<void> {
    return until(
      'The servers of NATS have not formed a cluster',
      async (client) => {
        await (await jetstreamManager(client)).getAccountInfo();
        return true;
      },
      this,
    );
  }

  async withClient<T>(use: (client: NatsConnection) => Promise<T>): Promise<T> {
    const client = await connect({ servers: this.addresses, token: TOKEN });
    return use(client).finally(() => client.close());
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  private get addresses(): string[] {
    return this.servers.map(({ url }) => new URL(url).host);
  }
}

/** Requests fail while there is no leader. */
async function until(
  failure: string,
  check: (client: NatsConnection) => Promise<boolean>,
  cluster: ProvisionedNatsCluster,
): Promise<void> {
  const probe = async (): Promise<true | undefined> =>
    (await cluster.withClient(check).catch(() => false)) ? true : undefined;
  if ((await waitUntil(probe, LIMITS)) === undefined) throw new Error(failure);
}
