import { Database } from '@app/database';
import { Clock, newId, type Listed, type Page, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { workerQueueFull, workerQueueNotFound } from '../worker-queues/worker-queue.errors.js';
import { WorkerQueueRepository } from '../worker-queues/worker-queue.repository.js';
import { workerDisconnected, workerNotFound } from './worker.errors.js';
import { WorkerRepository } from './worker.repository.js';
import type {
  DisconnectedWorker,
  DisconnectWorker,
  Heartbeat,
  HeartbeatTaken,
  PollingWorker,
  StartedWorker,
  StartWorker,
  Worker,
  WorkerFilter,
} from './worker.types.js';

const DEFAULT_REASON = 'shutdown';

/** The life of a worker: it starts in a queue, gives signs of life, and disconnects for good. */
@Injectable()
export class WorkerService {
  private readonly logger = createLogger('workers');

  constructor(
    private readonly workers: WorkerRepository,
    private readonly queues: WorkerQueueRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Never more than the queue's `max_workers` at once: the queue is locked while its live workers are counted. */
  async start(scope: Scope, queueId: string, worker: StartWorker): Promise<StartedWorker> {
    const now = this.clock.now();
    const started = await this.database.transaction(async () => {
      const queue = await this.queues.lock(scope, queueId, now);
      if (queue === undefined) throw workerQueueNotFound();
      if (queue.max_workers !== null && queue.active_workers >= queue.max_workers) {
        throw workerQueueFull(queue.max_workers);
      }
      const id = newId();
      await this.workers.insert(scope, id, queue.id, worker, now);
      return {
        worker_id: id,
        organization_id: scope.organizationId,
        worker_queue_id: queue.id,
        queue_name: queue.name,
        environment_name: queue.environment_name,
        heartbeat_interval: queue.heartbeat_interval,
      };
    });
    const { worker_id, worker_queue_id } = started;
    this.logger.info({ worker_id, worker_queue_id, hostname: worker.hostname ?? null }, 'worker started');
    return started;
  }

  async list(scope: Scope, filter: WorkerFilter, page: Page): Promise<Listed<Worker>> {
    return this.workers.list(scope, filter, page, this.clock.now());
  }

  async listIn(scope: Scope, queueId: string, page: Page): Promise<Listed<Worker>> {
    const now = this.clock.now();
    if ((await this.queues.find(scope, queueId, now)) === undefined) throw workerQueueNotFound();
    return this.workers.list(scope, { worker_queue_id: queueId }, page, now);
  }

  async read(scope: Scope, id: string): Promise<Worker> {
    const worker = await this.workers.find(scope, id, this.clock.now());
    if (worker === undefined) throw workerNotFound();
    return worker;
  }

  /** One statement while all is well. A stale worker is live again after it; a disconnected one is refused. */
  async heartbeat(scope: Scope, id: string, heartbeat: Heartbeat): Promise<HeartbeatTaken> {
    const taken = await this.workers.recordHeartbeat(scope, id, heartbeat, this.clock.now());
    if (taken !== undefined) return taken;
    await this.poller(scope, id);
    throw workerDisconnected();
  }

  /** The worker that asks for work; refuses one that is disconnected. */
  async poller(scope: Scope, id: string): Promise<PollingWorker> {
    const worker = await this.workers.findPolling(scope, id);
    if (worker === undefined) throw workerNotFound();
    if (worker.worker_status === 'disconnected') throw workerDisconnected();
    return worker;
  }

  /** Whether the worker's queue hands out work now: it is neither paused nor inactive. Refuses as `poller` does. */
  async mayTakeWork(scope: Scope, id: string): Promise<boolean> {
    return (await this.poller(scope, id)).queue_status === 'active';
  }

  /** Final. Said again it changes nothing and answers what was said first. */
  async disconnect(scope: Scope, id: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const recorded = await this.workers.disconnect(scope, id, {
      disconnected_at: this.clock.now(),
      reason: request.reason ?? DEFAULT_REASON,
      exit_code: request.exit_code ?? null,
      error_message: request.error_message ?? null,
    });
    if (recorded === undefined) return this.disconnectedBefore(scope, id);
    this.logger.info({ worker_id: id, reason: recorded.reason, exit_code: recorded.exit_code }, 'worker disconnected');
    return { worker_id: id, ...recorded };
  }

  private async disconnectedBefore(scope: Scope, id: string): Promise<DisconnectedWorker> {
    const { disconnected_at, reason, exit_code, error_message, updated_at } = await this.read(scope, id);
    return {
      worker_id: id,
      reason: reason ?? DEFAULT_REASON,
      exit_code,
      error_message,
      disconnected_at: disconnected_at ?? updated_at,
    };
  }
}
