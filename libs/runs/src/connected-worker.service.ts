import { DispatchConfig } from '@app/config';
import {
  hasCrashed,
  WorkerService,
  type DisconnectedWorker,
  type DisconnectWorker,
  type PollingWorker,
} from '@app/environments';
import { ExecutionService, LeaseService, type LeasedExecution, type WorkerCommand } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { RunAssembler } from './run-assembler.js';
import { SharedReads } from './shared-reads.js';
import type {
  AssembledRun,
  ConnectedHeartbeat,
  ConnectedHeartbeatRequest,
  Poll,
  PollResult,
  UnstartableRun,
} from './run.types.js';

/** Maximum number of runs assembled at the same time; a run with its execution can have several megabytes. */
const BATCH_SIZE = 10;
/** A response of at least this size gets no further batch. */
const FULL_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Leases of a poll with their presented form. */
interface Batch<Presented> {
  readonly leases: readonly LeasedExecution[];
  readonly presented: readonly Presented[];
}

const EMPTY_BATCH = { leases: [], presented: [] };

/** The requests of a connected worker that concern both the worker and the executions it holds. */
@Injectable()
export class ConnectedWorkerService {
  private readonly logger = createLogger('workers');

  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
    private readonly executions: ExecutionService,
    private readonly assembler: RunAssembler,
    private readonly config: DispatchConfig,
  ) {}

  /** Records a heartbeat, renews the worker's leases (all, or those of the named executions) and returns its commands. */
  async heartbeat(scope: Scope, workerId: string, request: ConnectedHeartbeatRequest): Promise<ConnectedHeartbeat> {
    const { execution_ids: executionIds, ...heartbeat } = request;
    const recorded = await this.workers.heartbeat(scope, workerId, heartbeat);
    const leaseMs = this.leaseMs(recorded.heartbeat_interval);
    const commands = await this.leases.renewAll(scope, workerId, leaseMs, executionIds);
    return { ...recorded, commands };
  }

  /**
   * Leases up to `max` executions of the worker's queue, waiting up to `waitMs` for the first one, and returns them in
   * presented form with the worker's commands. Failures of single leases reject the poll only if none can be delivered.
   */
  async poll<Presented>(scope: Scope, workerId: string, request: Poll<Presented>): Promise<PollResult<Presented>> {
    const { max, waitMs, signal } = request;
    const worker = await this.workers.readPolling(scope, workerId);
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
    const prepare = (leased: readonly LeasedExecution[]): Promise<Batch<Presented>> =>
      this.prepareBatch(scope, leased, worker.environment_id, request);
    const leased = await lease(max, waitMs);
    const [first, commands] = await Promise.all([prepare(leased), this.commandsFor(scope, workerId)]);
    if (first.presented.length < BATCH_SIZE) return { presented: first.presented, commands };
    const all = await this.addBatches(first, max, async (limit) => prepare(await lease(limit, 0)));
    if (!signal.aborted) return { presented: all.presented, commands };
    await this.leases.releaseUndelivered(scope, all.leases);
    return { presented: [], commands };
  }

  /** Adds batches until the response is full or the queue empty. If one fails, the batches so far are delivered. */
  private async addBatches<Presented>(
    first: Batch<Presented>,
    max: number,
    next: (limit: number) => Promise<Batch<Presented>>,
  ): Promise<Batch<Presented>> {
    const leases = [...first.leases];
    const presented = [...first.presented];
    let bytes = JSON.stringify(presented).length;
    while (presented.length < max && bytes < FULL_RESPONSE_BYTES) {
      const batch = await next(max - presented.length).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'next batch of a poll failed, earlier batches delivered');
        return EMPTY_BATCH;
      });
      if (batch.presented.length === 0) break;
      bytes += JSON.stringify(batch.presented).length;
      leases.push(...batch.leases);
      presented.push(...batch.presented);
    }
    return { leases, presented };
  }

  /** Disconnects the worker and releases its leases. Idempotent. */
  async disconnect(scope: Scope, workerId: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const worker = await this.workers.disconnect(scope, workerId, request);
    await this.leases.releaseAll(scope, workerId, hasCrashed(worker) ? 'crash' : 'shutdown');
    return worker;
  }

  /**
   * Returns a check whether the queue is open, called before each read of the queue. The first call uses the status that
   * was read with the worker, to save a statement, but only if the queue was active: a queue that opens after that read
   * and before the poll waits would be missed.
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

  /** Returns no commands on failure, because the response contains leases; the next heartbeat repeats the commands. */
  private async commandsFor(scope: Scope, workerId: string): Promise<readonly WorkerCommand[]> {
    return this.leases.commandsFor(scope, workerId).catch((error: unknown) => {
      this.logger.warn({ err: error, worker_id: workerId }, 'commands of a poll not read, left to the next heartbeat');
      return [];
    });
  }

  /**
   * Assembles and presents the runs of leases. Releases at once the leases that cannot be delivered: an undelivered lease
   * would delay its execution until it expires, and cost an attempt.
   */
  private async prepareBatch<Presented>(
    scope: Scope,
    leased: readonly LeasedExecution[],
    environmentId: string,
    { signal, present }: Poll<Presented>,
  ): Promise<Batch<Presented>> {
    const reads = new SharedReads();
    const outcomes = await Promise.allSettled(leased.map((lease) => this.assemble(scope, lease, environmentId, reads)));
    const unassembled = leased.filter((_lease, index) => outcomes[index]?.status === 'rejected');
    const runs = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    const leases = runs.map(({ lease }) => lease);
    const [presentation] = await Promise.allSettled([runs.length === 0 ? [] : present(runs)]);
    const presented = presentation.status === 'fulfilled' ? presentation.value : [];
    const deliverable = presentation.status === 'fulfilled' && !signal.aborted;
    await this.leases.releaseUndelivered(scope, deliverable ? unassembled : [...unassembled, ...leases]);
    if (signal.aborted) return EMPTY_BATCH;
    const failures = [...outcomes, presentation].filter((outcome) => outcome.status === 'rejected');
    const [first] = failures;
    if (first === undefined) return { leases, presented };
    if (presented.length === 0) throw asInternalError(first.reason);
    this.logger.warn({ err: first.reason, leases: failures.length }, 'leases not assembled, released');
    return { leases, presented };
  }

  /** Returns undefined if the run cannot start; its execution has failed then. */
  private async assemble(
    scope: Scope,
    lease: LeasedExecution,
    environmentId: string,
    reads: SharedReads,
  ): Promise<AssembledRun | undefined> {
    const assembled = await this.assembler.assemble(scope, lease, environmentId, reads);
    if (!isUnstartable(assembled)) return assembled;
    await this.fail(scope, assembled);
    return undefined;
  }

  private async fail(scope: Scope, { lease, reason }: UnstartableRun): Promise<void> {
    const failure = { status: 'failed', error_message: reason } as const;
    try {
      await this.executions.patch(scope, lease.execution.id, failure, lease.leaseToken);
    } catch (error) {
      // Not an error: the execution has ended in the meantime, or another worker has its lease.
      if (!isNotFoundOrConflict(error)) throw error;
    }
  }

  private leaseMs(heartbeatInterval: number): number {
    return Math.round(heartbeatInterval * this.config.leaseHeartbeats * 1000);
  }
}

function isUnstartable(run: AssembledRun | UnstartableRun): run is UnstartableRun {
  return 'reason' in run;
}

function isNotFoundOrConflict(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict');
}

/**
 * Wraps a `not_found` or `conflict` error of one execution: a worker whose poll fails with status 404 or 409 assumes that
 * it is no longer registered and drops all its runs.
 */
function asInternalError(error: unknown): unknown {
  return isNotFoundOrConflict(error) ? new Error('No lease could be assembled', { cause: error }) : error;
}
