import { DispatchConfig } from '@app/config';
import {
  hasCrashed,
  WorkerService,
  type DisconnectedWorker,
  type DisconnectWorker,
  type Heartbeat,
  type HeartbeatTaken,
} from '@app/environments';
import { ExecutionService, LeaseService, type WorkerCommand } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { LeaseAssembler, type AssembledLease, type LostLease } from './lease.assembler.js';

export interface Poll {
  readonly max: number;
  readonly waitMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/** What a worker says while it is connected, where it concerns both the worker and the executions it holds. */
@Injectable()
export class WorkerProtocol {
  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
    private readonly executions: ExecutionService,
    private readonly assembler: LeaseAssembler,
    private readonly config: DispatchConfig,
  ) {}

  /** A sign of life of the worker is one of everything it runs. */
  async heartbeat(
    scope: Scope,
    workerId: string,
    heartbeat: Heartbeat,
  ): Promise<HeartbeatTaken & { readonly commands: readonly WorkerCommand[] }> {
    const taken = await this.workers.heartbeat(scope, workerId, heartbeat);
    const commands = await this.leases.renewAll(scope, workerId, this.leaseMs(taken.heartbeat_interval));
    return { ...taken, commands };
  }

  async poll(scope: Scope, workerId: string, { max, waitMs, gone }: Poll): Promise<AssembledLease[]> {
    const worker = await this.workers.poller(scope, workerId);
    const leased = await this.leases.poll(scope, {
      workerId,
      queueId: worker.worker_queue_id,
      max,
      waitMs,
      leaseMs: this.leaseMs(worker.heartbeat_interval),
      confirmMs: this.config.leaseConfirmMs,
      signal: gone,
      mayTake: () => this.workers.mayTakeWork(scope, workerId),
    });
    const assembled = await Promise.all(
      leased.map((lease) => this.assembler.assemble(scope, lease, worker.environment_id)),
    );
    await Promise.all(assembled.filter(isLost).map((lost) => this.fail(scope, lost)));
    return assembled.filter((lease): lease is AssembledLease => !isLost(lease));
  }

  /** What the worker held becomes available to others at once; saying it twice does no harm. */
  async disconnect(scope: Scope, workerId: string, request: DisconnectWorker): Promise<DisconnectedWorker> {
    const worker = await this.workers.disconnect(scope, workerId, request);
    await this.leases.handBack(scope, workerId, hasCrashed(worker) ? 'crash' : 'shutdown');
    return worker;
  }

  private async fail(scope: Scope, { lease, missing }: LostLease): Promise<void> {
    const failure = { status: 'failed', error_message: `${missing} does not exist any more` } as const;
    await this.executions.patch(scope, lease.execution.id, failure, lease.leaseToken);
  }

  private leaseMs(heartbeatInterval: number): number {
    return Math.round(heartbeatInterval * this.config.leaseHeartbeats * 1000);
  }
}

function isLost(lease: AssembledLease | LostLease): lease is LostLease {
  return 'missing' in lease;
}
