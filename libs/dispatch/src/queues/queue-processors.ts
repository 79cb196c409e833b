import { RedisConnections } from '@app/connections';
import { discoverProviders } from '@app/discovery';
import { createLogger } from '@app/observability';
import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Queue, type Worker } from 'bullmq';

/**
 * Logs the errors of the queues that domains register with `dispatchQueue`, and closes their processors if the process
 * has any. BullMQ would print unhandled errors to the console. Shutdown waits for the jobs in progress before any store
 * is closed; the hook of `@nestjs/bullmq` closes processors only together with the stores. While Redis is unreachable,
 * shutdown does not wait: the end of a job cannot be stored, so the job is delivered again.
 */
@Injectable()
export class QueueProcessors implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = createLogger('queues');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly connections: RedisConnections,
  ) {}

  onApplicationBootstrap(): void {
    for (const queue of this.queues()) queue.on('error', (error) => this.logError(queue.name, error));
    for (const worker of this.workers()) worker.on('error', (error) => this.logError(worker.name, error));
  }

  async beforeApplicationShutdown(): Promise<void> {
    const isReachable = this.connections.forQueues.status === 'ready';
    await Promise.all(this.workers().map((worker) => worker.close(!isReachable)));
  }

  private logError(queue: string, error: Error): void {
    this.logger.warn({ queue, reason: error.message }, 'queue error');
  }

  private queues(): Queue[] {
    return discoverProviders<Queue>(this.discovery, Queue);
  }

  private workers(): Worker[] {
    return discoverProviders<WorkerHost>(this.discovery, WorkerHost).map(({ worker }) => worker);
  }
}
