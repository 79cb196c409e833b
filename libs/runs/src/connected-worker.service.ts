import { DispatchConfig } from '@app/config';
import {
  hasCrashed,
  WorkerService,
  type DisconnectedWorker,
  type DisconnectWorker,
  type Heartbeat,
  type PollingWorker,
} from '@app/environments';
import { ExecutionService, LeaseService, type LeasedExecution, type WorkerCommand } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { RunAssembler } from './run-assembler.js';
import type { AssembledRun, HeartbeatAnswer, LostRun, Poll, PollAnswer } from './run.types.js';

/**
 * Runs that are put together at once: each brings its execution, its agent or team and its variables along, several
 * megabytes where they are large. An answer that is past its size gets no more of them.
 */
const RUNS_AT_ONCE = 10;
const FULL_ANSWER_BYTES = 4 * 1024 * 1024;

/** What a worker says while it is connected, where it concerns both the worker and the executions it holds. */
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

  /** A sign of life of the worker is one of everything it runs. */
  async heartbeat(scope: Scope, workerId: string, heartbeat: Heartbeat): Promise<HeartbeatAnswer> {
    const taken = await this.workers.heartbeat(scope, workerId, heartbeat);
    const commands = await this.leases.renewAll(scope, workerId, this.leaseMs(taken.heartbeat_interval));
    return { ...taken, commands };
  }

  async poll(scope: Scope, workerId: string, { max, waitMs, gone }: Poll): Promise<PollAnswer> {
    const worker = await this.workers.poller(scope, workerId);
    const mayTake = this.gateOf(scope, worker);
    const lease = (most: number, wait: number): Promise<LeasedExecution[]> =>
      this.leases.poll(scope, {
        workerId,
        queueId: worker.worker_queue_id,
        max: Math.min(most, RUNS_AT_ONCE),
        waitMs: wait,
        leaseMs: this.leaseMs(worker.heartbeat_interval),
        confirmMs: this.config.leaseConfirmMs,
        signal: gone,
        mayTake,
      });
    const prepare = (leased: readonly LeasedExecution[]): Promise<AssembledRun[]> =>
      this.handOver(scope, leased, worker.environment_id, gone);
    const leased = await lease(max, waitMs);
    const [runs, commands] = await Promise.all([prepare(leased), this.commandsFor(scope, workerId)]);
    if (runs.length < RUNS_AT_ONCE) return { runs, commands };
    await this.addMore(runs, max, async (most) => prepare(await lease(most, 0)));
    if (!gone.aborted) return { runs, commands };
    await this.leases.giveBack(
      scope,
      runs.map((run) => run.lease),
    );
    return { runs: [], commands };
  }

  /** What is there besides, as long as the answer stays small. A failure ends it: what was taken is worth an answer. */
  private async addMore(
    runs: AssembledRun[],
    max: number,
    take: (most: number) => Promise<AssembledRun[]>,
  ): Promise<void> {
    let bytes = JSON.stringify(runs).length;
    while (runs.length < max && bytes < FULL_ANSWER_BYTES) {
      const more = await take(max - runs.length).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'a poll was answered with less than there is');
        return [];
      });
      if (more.length === 0) return;
      bytes += JSON.stringify(more).length;
      runs.push(...more);
    }
  }

  /** What the worker held becomes available to others at once; saying it twice does no harm. */
  async disconnect(scope: Scope, workerId: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const worker = await this.workers.disconnect(scope, workerId, request);
    await this.leases.handBack(scope, workerId, hasCrashed(worker) ? 'crash' : 'shutdown');
    return worker;
  }

  /**
   * Asks before each look at the queue but the first, which comes right after the worker was read with its queue. Only
   * that it is open is taken from there: that it opened again may have been missed until the poll waits to hear it.
   */
  private gateOf(scope: Scope, { worker_id: workerId, queue_status: status }: PollingWorker): () => Promise<boolean> {
    let justRead = status === 'active';
    return async () => {
      if (!justRead) return this.workers.mayTakeWork(scope, workerId);
      justRead = false;
      return true;
    };
  }

  /** They are not worth an answer that holds leases: the next heartbeat tells them, too. */
  private async commandsFor(scope: Scope, workerId: string): Promise<readonly WorkerCommand[]> {
    return this.leases.commandsFor(scope, workerId).catch((error: unknown) => {
      this.logger.warn({ err: error, worker_id: workerId }, 'a poll was answered without commands');
      return [];
    });
  }

  /** What does not reach the worker goes back at once: a lease that nobody knows of costs its execution time and an attempt. */
  private async handOver(
    scope: Scope,
    leased: readonly LeasedExecution[],
    environmentId: string,
    gone: AbortSignal,
  ): Promise<AssembledRun[]> {
    const outcomes = await Promise.allSettled(leased.map((lease) => this.prepare(scope, lease, environmentId)));
    const ready = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    const unprepared = leased.filter((_lease, index) => outcomes[index]?.status === 'rejected');
    await this.leases.giveBack(scope, gone.aborted ? [...unprepared, ...ready.map(({ lease }) => lease)] : unprepared);
    if (gone.aborted) return [];
    const [first] = failures;
    if (first === undefined) return ready;
    if (ready.length === 0) throw notOfTheWorker(first.reason);
    this.logger.warn(
      { err: first.reason, leases: failures.length },
      'leases could not be put together; they went back',
    );
    return ready;
  }

  /** Undefined when the run can not begin; its execution has failed then. */
  private async prepare(
    scope: Scope,
    lease: LeasedExecution,
    environmentId: string,
  ): Promise<AssembledRun | undefined> {
    const assembled = await this.assembler.assemble(scope, lease, environmentId);
    if (!isLost(assembled)) return assembled;
    await this.fail(scope, assembled);
    return undefined;
  }

  private async fail(scope: Scope, { lease, missing }: LostRun): Promise<void> {
    const failure = { status: 'failed', error_message: `${missing} does not exist any more` } as const;
    try {
      await this.executions.patch(scope, lease.execution.id, failure, lease.leaseToken);
    } catch (error) {
      // Somebody ended the execution in the meantime, or has the lease now.
      if (!readsAsGone(error)) throw error;
    }
  }

  private leaseMs(heartbeatInterval: number): number {
    return Math.round(heartbeatInterval * this.config.leaseHeartbeats * 1000);
  }
}

function isLost(run: AssembledRun | LostRun): run is LostRun {
  return 'missing' in run;
}

/** A worker that hears 404 or 409 to its poll takes itself for unknown and lets go of all its runs. */
function readsAsGone(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict');
}

/** A failure that is about one execution must not read as one about the worker. */
function notOfTheWorker(error: unknown): unknown {
  return readsAsGone(error) ? new Error('No lease could be put together', { cause: error }) : error;
}
