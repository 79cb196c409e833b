import { RedisConnections } from '@app/redis';
import { discoverProviders } from '@app/discovery';
import { createLogger } from '@app/observability';
import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Worker } from 'bullmq';

/**
 * Logs the errors of the processors of queues that domains register with `dispatchQueue`, which BullMQ would print to
 * the console, and closes the processors. Shutdown waits for the jobs in progress before any store is closed; the hook of
 * `@nestjs/bullmq` closes processors only together with the stores. While Redis is unreachable, shutdown does not wait:
 * the end of a job cannot be stored, so the job is delivered again.
 */
@Injectable()
export class QueueProcessors implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = createLogger('queues');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly connections: RedisConnections,
  ) {}

  onApplicationBootstrap(): void {
    for (const worker of this.workers()) {
      worker.on('error', (error) => this.logger.warn({ queue: worker.name, reason: error.message }, 'queue error'));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    const isReachable = this.connections.forQueues.status === 'ready';
    await Promise.all(this.workers().map((worker) => worker.close(!isReachable)));
  }

  private workers(): Worker[] {
    return discoverProviders<WorkerHost>(this.discovery, WorkerHost).map(({ worker }) => worker);
  }
}
