import { Database } from '@app/database';
import { WorkerSignals } from '@app/dispatch';
import { Clock, newId, type PageResult, type Page, type Scope } from '@app/kernel';
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
  HeartbeatResult,
  LiveWorkers,
  PollingWorker,
  RunnerWorkers,
  StartedWorker,
  StartWorker,
  Worker,
  WorkerCounts,
  WorkerFilter,
} from './worker.types.js';

const DEFAULT_REASON = 'shutdown';
/** In characters. A longer name in `worker_metadata` is ignored. */
const MAX_RUNNER_NAME = 255;

/** Life cycle of a worker: it starts in a queue, sends heartbeats and disconnects permanently. */
@Injectable()
export class WorkerService {
  private readonly logger = createLogger('workers');

  constructor(
    private readonly workers: WorkerRepository,
    private readonly queues: WorkerQueueRepository,
    private readonly database: Database,
    private readonly signals: WorkerSignals,
    private readonly clock: Clock,
  ) {}

  /**
   * Enforces `max_workers` for concurrent starts by locking the queue while its live workers are counted. Creates the
   * runner that the worker names if there is none.
   */
  async start(scope: Scope, queueId: string, worker: StartWorker): Promise<StartedWorker> {
    const now = this.clock.now();
    const started = await this.database.transaction(async () => {
      const queue = await this.queues.lock(scope, queueId);
      if (queue === undefined) throw workerQueueNotFound();
      if (queue.max_workers !== null && queue.active_workers >= queue.max_workers) {
        throw workerQueueFull(queue.max_workers);
      }
      const [id, runner_name] = [newId(), runnerNameOf(worker)];
      await this.workers.insertStarted(scope, id, queue.id, { ...worker, runner_name }, now);
      return {
        worker_id: id,
        organization_id: scope.organizationId,
        worker_queue_id: queue.id,
        queue_name: queue.name,
        environment_name: queue.environment_name,
        runner_name,
        heartbeat_interval: queue.heartbeat_interval,
      };
    });
    const { worker_id, worker_queue_id } = started;
    const hostname = worker.hostname ?? null;
    this.database.afterCommit(() => this.logger.info({ worker_id, worker_queue_id, hostname }, 'worker started'));
    return started;
  }

  /**
   * Returns the `RunnerWorkers` of each runner, by the name of the runner. Runners without workers have no entry.
   */
  async countsByRunner(scope: Scope, names: readonly string[]): Promise<ReadonlyMap<string, RunnerWorkers>> {
    return this.workers.countsByRunner(scope, names);
  }

  /** Returns the numbers of connected workers of each of the queues. */
  async countsByQueue(scope: Scope, queueIds: readonly string[]): Promise<ReadonlyMap<string, WorkerCounts>> {
    const counts = new Map(queueIds.map((id) => [id, { active: 0, idle: 0, busy: 0, stale: 0 }]));
    for (const { queue_id, status, workers } of await this.workers.countInQueues(scope, queueIds)) {
      const ofQueue = counts.get(queue_id);
      if (ofQueue !== undefined) ofQueue[status] = workers;
    }
    return counts;
  }

  /** Returns the number of live workers of each queue that has any, in all organizations. */
  async countLive(): Promise<readonly LiveWorkers[]> {
    return this.workers.countLive();
  }

  /** Returns the ids of the runtimes that live workers declare, each once and in alphabetical order. */
  async runtimesOffered(scope: Scope): Promise<readonly string[]> {
    return this.workers.runtimesOffered(scope);
  }

  async list(scope: Scope, filter: WorkerFilter, page: Page): Promise<PageResult<Worker>> {
    return this.workers.list(scope, filter, page);
  }

  async listIn(scope: Scope, queueId: string, page: Page): Promise<PageResult<Worker>> {
    if ((await this.queues.find(scope, queueId)) === undefined) throw workerQueueNotFound();
    return this.workers.list(scope, { worker_queue_id: queueId }, page);
  }

  async read(scope: Scope, id: string): Promise<Worker> {
    const worker = await this.workers.find(scope, id);
    if (worker === undefined) throw workerNotFound();
    return worker;
  }

  /** Records a heartbeat in one statement; a stale worker becomes live again. Throws for a disconnected worker. */
  async heartbeat(scope: Scope, id: string, heartbeat: Heartbeat): Promise<HeartbeatResult> {
    const recorded = await this.workers.recordHeartbeat(scope, id, heartbeat);
    if (recorded !== undefined) return recorded;
    await this.readPolling(scope, id);
    throw workerDisconnected();
  }

  /** Returns the worker of a poll with its queue. Throws for a disconnected worker. */
  async readPolling(scope: Scope, id: string): Promise<PollingWorker> {
    const worker = await this.workers.findPolling(scope, id);
    if (worker === undefined) throw workerNotFound();
    if (worker.worker_status === 'disconnected') throw workerDisconnected();
    return worker;
  }

  /** Returns whether the queue of the worker is active. Throws for a disconnected worker. */
  async mayTakeWork(scope: Scope, id: string): Promise<boolean> {
    return (await this.readPolling(scope, id)).queue_status === 'active';
  }

  /** Disconnects permanently. Idempotent: returns the first disconnection. */
  async disconnect(scope: Scope, id: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const recorded = await this.workers.disconnect(scope, id, {
      disconnected_at: this.clock.now(),
      reason: request.reason ?? DEFAULT_REASON,
      exit_code: request.exit_code ?? null,
      error_message: request.error_message ?? null,
    });
    if (recorded === undefined) return this.firstDisconnection(scope, id);
    this.logger.info({ worker_id: id, reason: recorded.reason, exit_code: recorded.exit_code }, 'worker disconnected');
    // Makes the processes that hold its WebSockets close them.
    await this.signals.commanded(id);
    return { worker_id: id, ...recorded };
  }

  private async firstDisconnection(scope: Scope, id: string): Promise<DisconnectedWorker> {
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

function runnerNameOf({ runner_name: name, worker_metadata: metadata }: StartWorker): string | null {
  const named = name ?? metadata?.['runner_name'];
  return typeof named === 'string' && named !== '' && named.length <= MAX_RUNNER_NAME ? named : null;
}
