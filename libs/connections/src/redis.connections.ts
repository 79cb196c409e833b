import { RedisConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Subscriptions } from './subscriptions.js';

interface ConnectionOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly enableAutoPipelining?: boolean;
  readonly autoResubscribe?: boolean;
  /** Milliseconds. */
  readonly commandTimeout?: number;
}

const IMPATIENT: ConnectionOptions = { enableAutoPipelining: true, maxRetriesPerRequest: 1, commandTimeout: 2000 };
const RECONNECT = { retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000) };

/**
 * Every connection this process has to Redis.
 *
 * - `commands`: shared, auto-pipelined, fails within a second or so when Redis is away, so no request hangs on it. Its
 *   scripts are defined while the application is put together: a pipeline that is open when a script is defined does not
 *   know it, and a command that is unknown to its pipeline ends the process.
 * - `subscriptions`: shared by all who listen (one connection however many there are); it waits while Redis is away.
 * - `forQueues`: the same for BullMQ, which defines its scripts with its first use: nothing else may be under way there.
 */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly logger = createLogger('redis');
  private readonly opened: Redis[] = [];
  private heard: Subscriptions | undefined;
  private queueConnection: Redis | undefined;
  readonly commands: Redis;

  constructor(private readonly config: RedisConfig) {
    this.commands = this.open(IMPATIENT);
  }

  get subscriptions(): Subscriptions {
    this.heard ??= new Subscriptions(this.open({ maxRetriesPerRequest: null, autoResubscribe: false }));
    return this.heard;
  }

  get forQueues(): Redis {
    this.queueConnection ??= this.open(IMPATIENT);
    return this.queueConnection;
  }

  private open(options: ConnectionOptions): Redis {
    const connection = new Redis(this.config.url, { ...RECONNECT, ...options });
    connection.on('error', (error: Error) => this.logger.warn({ reason: error.message }, 'redis connection trouble'));
    this.opened.push(connection);
    return connection;
  }

  onApplicationShutdown(): void {
    for (const connection of this.opened) connection.disconnect();
  }
}
