import { RedisConnections } from '@app/redis';
import { createLogger } from '@app/observability';
import { BullModule } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';
import { Queue } from 'bullmq';

/** The braces put the keys of all these queues into one hash slot of a Redis Cluster. */
const PREFIX = '{queues}';

/** BullMQ prints the errors of a queue without a listener to the console, also those before the application starts. */
class LoggedQueue extends Queue {
  constructor(...parameters: ConstructorParameters<typeof Queue>) {
    super(...parameters);
    const logger = createLogger('queues');
    this.on('error', (error) => logger.warn({ queue: this.name, reason: error.message }, 'queue error'));
  }
}

/**
 * Registers a BullMQ queue whose name is known at start. A domain imports it in its handlers module, beside a class
 * with `@Processor(name)` that extends `WorkerHost`; `@InjectQueue(name)` injects the queue. Redis can lose the jobs of
 * a queue, so the work itself must be stored in PostgreSQL, and processors must be idempotent. `add` rejects while
 * Redis is unreachable, so that neither the outbox nor a shutdown waits for it.
 */
export function dispatchQueue(name: string): DynamicModule {
  BullModule.queueClass = LoggedQueue;
  return BullModule.registerQueueAsync({
    name,
    inject: [RedisConnections],
    useFactory: (connections: RedisConnections) => ({
      connection: connections.forQueues,
      // Without these two options, the first `add` would wait until Redis is reachable. Workers still check the
      // version of Redis.
      skipWaitingForReady: true,
      skipVersionCheck: true,
      prefix: PREFIX,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    }),
  });
}
