import { setTimeout as sleep } from 'node:timers/promises';
import { RedisConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { Subscriptions } from './subscriptions.js';

interface ConnectionOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly enableAutoPipelining?: boolean;
  readonly autoResubscribe?: boolean;
  /** Milliseconds. */
  readonly commandTimeout?: number;
}

const FAIL_FAST: ConnectionOptions = { enableAutoPipelining: true, maxRetriesPerRequest: 1, commandTimeout: 2000 };
/** A blocking read needs a connection without a command timeout, and BullMQ rejects a connection with a retry limit. */
const BLOCKING_READS = { enableAutoPipelining: false, maxRetriesPerRequest: null, commandTimeout: undefined };
const INFO_RETRY_MS = 100;
const RECONNECT = { retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000) };

/**
 * The Redis connections of this process.
 *
 * - `commands`: shared and auto-pipelined. Commands fail within two seconds while Redis is unreachable or hangs, so no
 *   request waits longer. Scripts must be defined in constructors: a pipeline that is open when a script is defined does
 *   not know the script, and an unknown command in a pipeline ends the process.
 * - `subscriptions`: one connection for all subscribers. It waits while Redis is unreachable.
 * - `forQueues`: like `commands`, for BullMQ only, because BullMQ defines its scripts at first use. BullMQ duplicates
 *   it for the blocking reads of a worker; a duplicate waits while Redis is unreachable. Its `info` waits as well:
 *   BullMQ requests the version once, and a worker whose request failed would retry in an endless loop that blocks the
 *   process.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly logger = createLogger('redis');
  private readonly opened: Redis[] = [];
  private openSubscriptions: Subscriptions | undefined;
  private queueConnection: Redis | undefined;
  readonly commands: Redis;

  constructor(private readonly config: RedisConfig) {
    this.commands = this.open(FAIL_FAST);
  }

  get subscriptions(): Subscriptions {
    this.openSubscriptions ??= new Subscriptions(this.open({ maxRetriesPerRequest: null, autoResubscribe: false }));
    return this.openSubscriptions;
  }

  get forQueues(): Redis {
    this.queueConnection ??= this.openForQueues();
    return this.queueConnection;
  }

  private openForQueues(): Redis {
    const connection = this.open(FAIL_FAST);
    const duplicate = connection.duplicate.bind(connection);
    const info = connection.info.bind(connection);
    return Object.assign(connection, {
      duplicate: (options?: RedisOptions) => duplicate({ ...options, ...BLOCKING_READS }),
      // ioredis passes a callback when it connects.
      info: (...args: Parameters<typeof info>) =>
        args.length > 0 ? info(...args) : untilAnswered(connection, () => info()),
    });
  }

  private open(options: ConnectionOptions): Redis {
    const connection = new Redis(this.config.url, { ...RECONNECT, ...options });
    connection.on('error', (error: Error) => this.logger.warn({ reason: error.message }, 'redis connection error'));
    this.opened.push(connection);
    return connection;
  }

  onApplicationShutdown(): void {
    for (const connection of this.opened) connection.disconnect();
  }
}

/** Retries a read until Redis responds. Rejects if the connection is closed. */
async function untilAnswered(connection: Redis, read: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (connection.status === 'end') throw error;
      await sleep(INFO_RETRY_MS);
    }
  }
}
