import type { ExecutionRef } from '@app/events';
import { toWireTime, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from '../executions/execution-change-publisher.js';
import { inSpanOf } from '../executions/execution-span.js';
import { isFinal } from '../executions/execution-state.js';
import { LifecycleRepository, type LifecycleSnapshot, type WrittenChange } from '../lifecycle/lifecycle.repository.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import type { ReleaseCommand, TimeOutCommand } from '../lifecycle/lifecycle.types.js';
import type { LeasedExecution, ReleaseCause, UndeliveredCause } from './lease.types.js';

const REAP_BATCH = 100;

const EXPIRED: ReleaseCommand = {
  name: 'release',
  cost: 1,
  reason: 'The worker stopped responding',
  lease: 'expired',
};

const DISCONNECTED: Readonly<Record<ReleaseCause, ReleaseCommand>> = {
  crash: { name: 'release', cost: 1, reason: 'The worker crashed', lease: 'expired', byWorker: true },
  shutdown: { name: 'release', cost: 0, reason: 'The worker shut down', lease: 'handed_back', byWorker: true },
};

const UNDELIVERED: Readonly<Record<UndeliveredCause, ReleaseCommand>> = {
  response_lost: { name: 'release', cost: 0, reason: 'The lease did not reach its worker', lease: 'handed_back' },
  not_assembled: {
    name: 'release',
    cost: 1,
    reason: 'The control plane could not assemble the run, see its log',
    lease: 'handed_back',
  },
};

/**
 * Releases leases whose executions have not ended. The executions return to their queue, or fail if no attempt is left.
 */
@Injectable()
export class LeaseReleaseService {
  private readonly logger = createLogger('leases');

  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly lifecycles: LifecycleRepository,
    private readonly changes: ExecutionChangePublisher,
  ) {}

  /** Releases all leases of a worker that disconnects, and returns their number. */
  async releaseAll(scope: Scope, workerId: string, cause: ReleaseCause): Promise<number> {
    const released = await this.commit(() => this.lifecycles.lockHeldBy(scope, workerId), DISCONNECTED[cause]);
    if (released.length > 0) {
      this.logger.info({ worker_id: workerId, cause, executions: released.length }, 'leases released on disconnect');
    }
    return released.length;
  }

  /** Releases a lease that did not reach its worker. */
  async releaseUndelivered(
    scope: Scope,
    { execution: { id }, leaseToken }: LeasedExecution,
    cause: UndeliveredCause,
  ): Promise<void> {
    await this.commit(() => this.lifecycles.lockLeased(scope, id, leaseToken), UNDELIVERED[cause]);
  }

  /** Releases a batch of leases that have expired, before `until` if given. Returns whether there may be more. */
  async reapExpired(until: Date | null = null): Promise<boolean> {
    const released = await this.commit(() => this.lifecycles.lockExpired(until, REAP_BATCH), EXPIRED);
    for (const change of released) {
      inSpanOf(change.row, () => this.logger.warn(factsOf(change), 'lease expired, execution released'));
    }
    return released.length === REAP_BATCH;
  }

  /**
   * Ends a batch of attempts that exceeded their time limit, before `until` if given. Returns whether there may be
   * more.
   */
  async endTimedOut(until: Date | null = null): Promise<boolean> {
    const ended = await this.commit(() => this.lifecycles.lockTimedOut(until, REAP_BATCH), { name: 'time_out' });
    for (const change of ended) {
      inSpanOf(change.row, () => this.logger.warn(factsOf(change), 'execution exceeded its time limit and was ended'));
    }
    return ended.length === REAP_BATCH;
  }

  private async commit(
    choose: () => Promise<readonly LifecycleSnapshot[]>,
    command: ReleaseCommand | TimeOutCommand,
  ): Promise<readonly WrittenChange[]> {
    const released = await this.lifecycle.applyToChosen(choose, command);
    await Promise.all(released.map((written) => inSpanOf(written.row, () => this.publishChange(written))));
    const commanded = released.flatMap(({ change: { columns } }) =>
      columns.command === null || columns.lease_worker_id === null ? [] : [columns.lease_worker_id],
    );
    await this.changes.signalCommands(...new Set(commanded));
    return released;
  }

  private async publishChange({ row, change }: WrittenChange): Promise<void> {
    const { status, attempt, queued_at: queuedAt } = change.columns;
    const ref: ExecutionRef = { organizationId: row.organization_id, executionId: row.id };
    await this.changes.clearLease(ref);
    if (change.from === status || isFinal(status)) return;
    const retry = queuedAt === null ? {} : { attempt, retry_at: toWireTime(queuedAt) };
    await this.changes.publishStatus(ref, change.from, status, retry);
  }
}

/** Returns what the log says of a change. */
function factsOf({ change: { columns } }: WrittenChange): object {
  return { attempt: columns.attempt, status: columns.status };
}
