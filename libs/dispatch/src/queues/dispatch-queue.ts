import { RedisConnections } from '@app/connections';
import { BullModule } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';

/** The braces put the keys of all these queues into one slot of a Redis Cluster. */
const PREFIX = '{queues}';

/**
 * Registers a BullMQ queue whose name is known at start. A domain imports it in its handlers module, beside a class with
 * `@Processor(name)` that extends `WorkerHost`; `@InjectQueue(name)` injects the queue. A queue only delivers: Redis can
 * lose its jobs, so what must happen is stored in PostgreSQL, and a processor is idempotent. `add` rejects while Redis is
 * unreachable, so that neither the outbox nor a shutdown waits for it.
 */
export function dispatchQueue(name: string): DynamicModule {
  return BullModule.registerQueueAsync({
    name,
    inject: [RedisConnections],
    useFactory: (connections: RedisConnections) => ({
      connection: connections.forQueues,
      // Both would make the first `add` wait until Redis is reachable. Workers still check the version.
      skipWaitingForReady: true,
      skipVersionCheck: true,
      prefix: PREFIX,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    }),
  });
}
