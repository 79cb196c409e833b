import {
  certificatesOf,
  parseRedisUrl,
  type RedisCertificates,
  type RedisConfig,
  type RedisNode,
  type RedisTarget,
} from '@app/config';
import { Redis, type RedisOptions } from 'ioredis';
import { ClusterCommands } from './cluster-commands.js';
import { dropSettled } from './drop-settled.js';
import type { RedisClient } from './redis-client.js';

type Options = Omit<RedisOptions, 'replyMapping'>;
type Sentinels = Extract<RedisTarget, { kind: 'sentinel' }>;

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, 1000);
/** A host that does not respond is given up, because another one may have taken its place. */
const CONNECT_TIMEOUT_MS = 3000;
/** A node that was replaced without closing its connections is noticed within this time. */
const SLOTS_REFRESH_MS = 5000;
/**
 * A connection without a response for this time is closed, because its host may be lost: the next one leads to the server
 * that has taken its place.
 */
const SILENCE_MS = 5000;

/**
 * After a fail-over behind one address, a connection can still lead to the former primary, which rejects writes. Redis
 * 6.2 puts the code of an error in a script after its own text.
 */
const isDemoted = ({ message }: Error): boolean => /^(ERR .*-)?READONLY /s.test(message);

/** Connects again. The command fails: repeated alone, one of a transaction would take effect without the others. */
const reconnectOnError = (error: Error): 1 | false => (isDemoted(error) ? 1 : false);

/** Connects again and repeats the command, for blocking reads. */
export const repeatOnError = (error: Error): 2 | false => (isDemoted(error) ? 2 : false);

/** Opens the connections that a configuration describes. */
export class RedisOpener {
  private readonly target: RedisTarget;
  private readonly tls: { readonly tls?: RedisCertificates };

  constructor(private readonly config: RedisConfig) {
    this.target = parseRedisUrl(config.url);
    const tls = certificatesOf(config);
    this.tls = tls === undefined ? {} : { tls };
  }

  /** Opens a connection whose commands reject after `limitMs`, also while Redis is unreachable. */
  commands(limitMs: number): RedisClient {
    const { target } = this;
    if (target.kind === 'cluster') {
      return new ClusterCommands(target.nodes, this.clusterOptions(limitMs), limitMs);
    }
    // Fails with the second attempt to connect.
    return this.openOne({
      enableAutoPipelining: true,
      maxRetriesPerRequest: 1,
      commandTimeout: limitMs,
      socketTimeout: SILENCE_MS,
    });
  }

  /**
   * Opens a connection for subscriptions, which waits while Redis is unreachable. In a cluster it connects to any node,
   * because each node passes all messages on, and to another one after each lost connection.
   *
   * @param nodes the known nodes of the cluster; none: those of the configuration
   */
  subscriber(nodes: () => readonly RedisNode[]): Redis {
    const options = { maxRetriesPerRequest: null, autoResubscribe: false, socketTimeout: SILENCE_MS };
    const { target } = this;
    if (target.kind !== 'cluster') return this.openOne(options);
    const choose = (): RedisNode => pick(nodes()) ?? pick(target.nodes) ?? { host: '', port: 0 };
    const connection: Redis = new Redis({
      ...credentialsOf(target),
      ...this.tls,
      ...options,
      ...choose(),
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (attempt) => {
        Object.assign(connection.options, choose());
        return reconnectDelay(attempt);
      },
    });
    return connection;
  }

  private openOne(options: Options): Redis {
    const { target } = this;
    const shared = { ...this.tls, retryStrategy: reconnectDelay, reconnectOnError, ...options };
    return dropSettled(
      target.kind === 'sentinel'
        ? new Redis({ ...this.sentinelOptions(target), ...shared })
        : new Redis(this.config.url, shared),
    );
  }

  private sentinelOptions(target: Sentinels): Options {
    const { sentinelUsername, sentinelPassword } = this.config;
    const { tls } = this.tls;
    return {
      ...credentialsOf(target),
      sentinels: [...target.sentinels],
      name: target.name,
      db: target.database,
      connectTimeout: CONNECT_TIMEOUT_MS,
      ...(sentinelUsername != null && { sentinelUsername }),
      ...(sentinelPassword != null && { sentinelPassword }),
      ...(tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    };
  }

  /**
   * Without automatic pipelines: in a cluster, a pipeline has one result for all its commands, so a command whose slot
   * has moved could not be repeated alone.
   */
  private clusterOptions(commandTimeout: number): ConstructorParameters<typeof ClusterCommands>[1] {
    return {
      clusterRetryStrategy: reconnectDelay,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      // Certificates can name hosts, so names are not replaced by addresses.
      dnsLookup: (host, done) => done(null, host),
      redisOptions: {
        ...credentialsOf(this.target),
        ...this.tls,
        connectTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_MS,
        commandTimeout,
      },
    };
  }
}

function credentialsOf({ username, password }: RedisTarget): Pick<RedisOptions, 'username' | 'password'> {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
