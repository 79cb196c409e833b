import { setTimeout as sleep } from 'node:timers/promises';
import { RedisConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, type ClusterNode, type Redis, type RedisOptions } from 'ioredis';
import type { NodeOptions } from './cluster-commands.js';
import { RedisOpener, repeatOnError } from './open-redis.js';
import type { RedisClient } from './redis-client.js';
import { Subscriptions } from './subscriptions.js';

/** No request waits longer for Redis. */
const COMMAND_LIMIT_MS = 2000;
/** A blocking read needs a connection without timeouts, and BullMQ rejects a connection with a retry limit. */
const BLOCKING_READS = {
  enableAutoPipelining: false,
  maxRetriesPerRequest: null,
  commandTimeout: undefined,
  socketTimeout: undefined,
  reconnectOnError: repeatOnError,
};
const INFO_RETRY_MS = 100;
const SUBSCRIPTION_PING_MS = 5000;

/**
 * The Redis connections of this process, to one server, to the primary that sentinels name, or to a cluster.
 *
 * - `commands`: shared, and auto-pipelined except in a cluster. Commands fail within two seconds while Redis is
 *   unreachable or hangs, so no request waits longer. Scripts must be defined in constructors: a pipeline that is open
 *   when a script is defined does not know the script, and an unknown command in a pipeline ends the process. The keys
 *   of a script, and those of a transaction, share a hash slot.
 * - `subscriptions`: one connection for all subscribers. It waits while Redis is unreachable.
 * - `forQueues`: like `commands`, for BullMQ only, because BullMQ defines its scripts at first use. BullMQ duplicates
 *   it for the blocking reads of a worker; a duplicate waits while Redis is unreachable. Its `info` waits as well:
 *   BullMQ requests the version once, and a worker whose request failed would retry in an endless loop that blocks the
 *   process.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly logger = createLogger('redis');
  private readonly opener: RedisOpener;
  private readonly opened: RedisClient[] = [];
  private openSubscriptions: Subscriptions | undefined;
  private queueConnection: RedisClient | undefined;
  readonly commands: RedisClient;

  constructor(config: RedisConfig) {
    this.opener = new RedisOpener(config);
    this.commands = this.keep(this.opener.commands(COMMAND_LIMIT_MS));
  }

  get subscriptions(): Subscriptions {
    this.openSubscriptions ??= new Subscriptions(
      this.keep(this.opener.subscriber(() => this.nodes('all').map(addressOf))),
      SUBSCRIPTION_PING_MS,
    );
    return this.openSubscriptions;
  }

  get forQueues(): RedisClient {
    this.queueConnection ??= this.openForQueues();
    return this.queueConnection;
  }

  /** Returns the servers that accept writes: the primaries of a cluster, or the one server. */
  async primaries(): Promise<readonly Redis[]> {
    // Before the first response of a node, only those of the configuration are known, some of which may be replicas.
    if (this.commands instanceof Cluster && this.commands.status !== 'ready') await this.commands.ping();
    return this.nodes('master');
  }

  private nodes(role: 'all' | 'master'): readonly Redis[] {
    return this.commands instanceof Cluster ? this.commands.nodes(role) : [this.commands];
  }

  private openForQueues(): RedisClient {
    const connection = this.keep(this.opener.commands(COMMAND_LIMIT_MS));
    const info = connection.info.bind(connection);
    return Object.assign(connection, {
      duplicate: duplicateOf(connection),
      // ioredis passes a callback when it connects.
      info: (...args: Parameters<typeof info>) =>
        args.length > 0 ? info(...args) : untilAnswered(connection, () => info()),
    });
  }

  private keep<Connection extends RedisClient>(connection: Connection): Connection {
    connection.on('error', (error: Error) => this.logger.warn({ reason: reasonOf(error) }, 'redis connection error'));
    this.opened.push(connection);
    return connection;
  }

  onApplicationShutdown(): void {
    this.openSubscriptions?.stop();
    for (const connection of this.opened) connection.disconnect();
  }
}

/** Returns the method `duplicate` of a connection, for blocking reads. */
function duplicateOf(connection: RedisClient): (...parameters: never[]) => RedisClient {
  if (!(connection instanceof Cluster)) {
    const duplicate = connection.duplicate.bind(connection);
    return (options?: RedisOptions) => duplicate({ ...options, ...BLOCKING_READS });
  }
  const duplicate = connection.duplicate.bind(connection);
  return (nodes?: ClusterNode[], options?: { readonly redisOptions?: NodeOptions }) =>
    duplicate(nodes, { ...options, redisOptions: { ...options?.redisOptions, ...BLOCKING_READS } });
}

function addressOf({ options }: Redis): { readonly host: string; readonly port: number } {
  return { host: options.host ?? '', port: options.port ?? 0 };
}

/** The error of a cluster says only that no node responded. */
function reasonOf(error: Error & { readonly lastNodeError?: Error }): string {
  const cause = error.lastNodeError?.message;
  return cause === undefined ? error.message : `${error.message} Last node: ${cause}`;
}

/** Retries a read until Redis responds. Rejects if the connection is closed. */
async function untilAnswered(connection: RedisClient, read: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (connection.status === 'end') throw error;
      await sleep(INFO_RETRY_MS);
    }
  }
}
