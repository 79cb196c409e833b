import { DispatchConfig } from '@app/config';
import {
  hasCrashed,
  WorkerService,
  type DisconnectedWorker,
  type DisconnectWorker,
  type PollingWorker,
} from '@app/environments';
import { LeaseService, WorkStops, type LeasedExecution, type WorkerCommand } from '@app/executions';
import type { Scope } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { RunPreparationService, type PreparedRuns } from '../leases/run-preparation.service.js';
import type { ConnectedHeartbeat, ConnectedHeartbeatRequest, Poll, PollResult } from '../run.types.js';

/** Maximum number of runs assembled at the same time; a run with its execution can have several megabytes. */
const BATCH_SIZE = 10;
/** No further batch is added to a response of at least this size. */
const FULL_RESPONSE_BYTES = 4 * 1024 * 1024;

const heartbeats = createCounter('platform_worker_heartbeats_total', 'Recorded heartbeats of workers');

const NO_RUNS = { leases: [], presented: [] };

/** The requests of a connected worker that affect both the worker and the executions that it holds. */
@Injectable()
export class ConnectedWorkerService {
  private readonly logger = createLogger('workers');

  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
    private readonly stops: WorkStops,
    private readonly preparation: RunPreparationService,
    private readonly config: DispatchConfig,
  ) {}

  /** Records a heartbeat, renews the worker's leases (all, or those of the named executions) and returns its commands. */
  async heartbeat(scope: Scope, workerId: string, request: ConnectedHeartbeatRequest): Promise<ConnectedHeartbeat> {
    const { execution_ids: executionIds, ...heartbeat } = request;
    const recorded = await this.workers.heartbeat(scope, workerId, heartbeat);
    heartbeats.inc();
    const leaseMs = this.leaseMs(recorded.heartbeat_interval);
    const commands = await this.leases.renewAll(scope, workerId, leaseMs, executionIds);
    return { ...recorded, commands };
  }

  /**
   * Leases up to `max` executions of the worker's queue, waiting up to `waitMs` for the first one, and returns them in
   * presented form with the worker's commands. Rejects if a store was not reachable and no run can be delivered.
   */
  async poll<Presented>(scope: Scope, workerId: string, request: Poll<Presented>): Promise<PollResult<Presented>> {
    const { max, waitMs, signal } = request;
    const worker = await this.workers.readPolling(scope, workerId);
    const place = { environmentId: worker.environment_id, runtimes: worker.runtimes };
    const isQueueOpen = this.queueCheckOf(scope, worker);
    const lease = (limit: number, wait: number): Promise<LeasedExecution[]> =>
      this.leases.poll(scope, {
        workerId,
        runnerName: worker.runner_name,
        queueId: worker.worker_queue_id,
        max: Math.min(limit, BATCH_SIZE),
        waitMs: wait,
        leaseMs: this.leaseMs(worker.heartbeat_interval),
        confirmMs: this.config.leaseConfirmMs,
        signal,
        mayTake: isQueueOpen,
      });
    const prepare = (leased: readonly LeasedExecution[]): Promise<PreparedRuns<Presented>> =>
      this.preparation.prepare(scope, leased, place, request);
    const first = await prepare(await lease(max, waitMs));
    const isComplete = first.presented.length < BATCH_SIZE || max <= BATCH_SIZE;
    const all = isComplete ? first : await this.addBatches(first, max, async (limit) => prepare(await lease(limit, 0)));
    if (all.leases.length === 0) return { presented: [], commands: await this.commandsFor(scope, workerId) };
    return this.deliver(scope, workerId, all, signal);
  }

  /**
   * Returns the leases that may be delivered, with the commands of the worker. Nothing may be read after this check:
   * whoever pauses the queue, disconnects the worker or cancels an execution relies on it.
   */
  private async deliver<Presented>(
    scope: Scope,
    workerId: string,
    { leases, presented }: PreparedRuns<Presented>,
    signal: AbortSignal,
  ): Promise<PollResult<Presented>> {
    const confirmed = await this.leases.confirm(scope, workerId, leases).catch(async (error: unknown) => {
      await this.leases.releaseUndelivered(scope, leases, 'response_lost');
      throw error;
    });
    const { commands, deliverable } = confirmed;
    if (!signal.aborted) {
      const isDelivered = leases.map((lease) => deliverable.has(lease));
      return { presented: presented.filter((_run, index) => isDelivered[index]), commands };
    }
    await this.leases.releaseUndelivered(scope, [...deliverable], 'response_lost');
    return { presented: [], commands };
  }

  /**
   * Adds batches until the response is full or the queue is empty. If a batch fails, the previous ones are delivered.
   */
  private async addBatches<Presented>(
    first: PreparedRuns<Presented>,
    max: number,
    next: (limit: number) => Promise<PreparedRuns<Presented>>,
  ): Promise<PreparedRuns<Presented>> {
    const leases = [...first.leases];
    const presented = [...first.presented];
    let bytes = JSON.stringify(presented).length;
    while (presented.length < max && bytes < FULL_RESPONSE_BYTES) {
      const batch = await next(max - presented.length).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'a further batch of a poll failed; the previous batches are delivered');
        return NO_RUNS;
      });
      if (batch.presented.length === 0) break;
      bytes += JSON.stringify(batch.presented).length;
      leases.push(...batch.leases);
      presented.push(...batch.presented);
    }
    return { leases, presented };
  }

  /**
   * Disconnects the worker and releases its leases, also those of polls that are in flight. Idempotent. The stop is
   * committed before the release: the release then finds each lease that was delivered, and later ones are not
   * delivered.
   */
  async disconnect(scope: Scope, workerId: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const worker = await this.workers.disconnect(scope, workerId, request);
    await this.stops.stop(scope, workerId);
    await this.leases.releaseAll(scope, workerId, hasCrashed(worker) ? 'crash' : 'shutdown');
    return worker;
  }

  /**
   * Returns a function that checks, before each read of the queue, whether the queue is active. To save a statement,
   * its first call uses the status that was read with the worker, but only if the queue was active then: otherwise a
   * queue that becomes active before the poll begins to wait would be missed.
   */
  private queueCheckOf(
    scope: Scope,
    { worker_id: workerId, queue_status: status }: PollingWorker,
  ): () => Promise<boolean> {
    let isFresh = status === 'active';
    return async () => {
      if (!isFresh) return this.workers.mayTakeWork(scope, workerId);
      isFresh = false;
      return true;
    };
  }

  /** Returns no commands on failure; the next heartbeat repeats the commands. */
  private async commandsFor(scope: Scope, workerId: string): Promise<readonly WorkerCommand[]> {
    return this.leases.commandsFor(scope, workerId).catch((error: unknown) => {
      this.logger.warn(
        { err: error, worker_id: workerId },
        'reading the commands of a poll failed; the next heartbeat returns them',
      );
      return [];
    });
  }

  private leaseMs(heartbeatInterval: number): number {
    return Math.round(heartbeatInterval * this.config.leaseHeartbeats * 1000);
  }
}
