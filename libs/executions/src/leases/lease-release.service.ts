import { Database } from '@app/database';
import { Outbox, type DueMessage } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { Clock, toWireTime, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from '../executions/execution-change-publisher.js';
import { isFinal } from '../executions/execution-state.js';
import {
  executionFinished,
  executionQueued,
  type ExecutionFinished,
  type ExecutionQueued,
} from '../executions/execution.events.js';
import { LeaseRepository, type ReleasedExecution } from './lease.repository.js';
import type { LeasedExecution, ReleaseCause, UndeliveredCause } from './lease.types.js';

const REAP_BATCH = 100;

/**
 * Releases leases whose executions have not ended. The executions return to their queue, or fail if no attempt is left.
 * Commits the new state and its outbox message together.
 */
@Injectable()
export class LeaseReleaseService {
  private readonly logger = createLogger('leases');

  constructor(
    private readonly database: Database,
    private readonly leases: LeaseRepository,
    private readonly outbox: Outbox,
    private readonly changes: ExecutionChangePublisher,
    private readonly clock: Clock,
  ) {}

  /** Releases all leases of a worker that disconnects, and returns their number. */
  async releaseAll(scope: Scope, workerId: string, cause: ReleaseCause): Promise<number> {
    const released = await this.commit(() => this.leases.releaseAll(scope, workerId, cause, this.clock.now()));
    if (released.length > 0) {
      this.logger.info({ worker_id: workerId, cause, executions: released.length }, 'leases released on disconnect');
    }
    return released.length;
  }

  /** Releases a lease that did not reach its worker. */
  async releaseUndelivered(
    scope: Scope,
    { execution, leaseToken }: LeasedExecution,
    cause: UndeliveredCause,
  ): Promise<void> {
    const { id } = execution;
    await this.commit(() => this.leases.releaseUndelivered(scope, id, leaseToken, cause, this.clock.now()));
  }

  /** Releases a batch of leases that have expired, before `until` if given. Returns whether there may be more. */
  async reapExpired(until: Date | null = null): Promise<boolean> {
    const released = await this.commit(() => this.leases.releaseExpired(this.clock.now(), until, REAP_BATCH));
    for (const { id, attempt, status } of released) {
      this.logger.warn({ execution_id: id, attempt, status }, 'lease expired, execution released');
    }
    return released.length === REAP_BATCH;
  }

  /**
   * Ends a batch of attempts that exceeded their time limit, before `until` if given. Returns whether there may be
   * more.
   */
  async endTimedOut(until: Date | null = null): Promise<boolean> {
    const ended = await this.commit(() => this.leases.endTimedOut(this.clock.now(), until, REAP_BATCH));
    for (const { id, attempt, status } of ended) {
      this.logger.warn({ execution_id: id, attempt, status }, 'execution exceeded its time limit and was ended');
    }
    return ended.length === REAP_BATCH;
  }

  private async commit(release: () => Promise<ReleasedExecution[]>): Promise<readonly ReleasedExecution[]> {
    const released = await this.database.transaction(async () => {
      const executions = await release();
      await this.outbox.addDue(executionQueued, ...executions.flatMap(queuedMessageOf));
      await this.outbox.add(executionFinished, ...executions.flatMap(finishedMessageOf));
      return executions;
    });
    await Promise.all(released.map((execution) => this.publishChange(execution)));
    const commanded = released.flatMap(({ commanded_worker: workerId }) => workerId ?? []);
    await this.changes.signalCommands(...new Set(commanded));
    return released;
  }

  private async publishChange(execution: ReleasedExecution): Promise<void> {
    const { status, previous_status: previous, attempt, queued_at: queuedAt } = execution;
    await this.changes.clearLease(refOf(execution));
    if (previous === status || isFinal(status)) return;
    const retry = queuedAt === null ? {} : { attempt, retry_at: toWireTime(queuedAt) };
    await this.changes.publishStatus(refOf(execution), previous, status, retry);
  }
}

function refOf({ organization_id, id }: ReleasedExecution): ExecutionRef {
  return { organizationId: organization_id, executionId: id };
}

function finishedMessageOf(execution: ReleasedExecution): ExecutionFinished[] {
  const { status, previous_status: from } = execution;
  return isFinal(status) ? [{ ...refOf(execution), from }] : [];
}

/** Returns the message for the next attempt, which is due at once or after a delay. */
function queuedMessageOf(execution: ReleasedExecution): DueMessage<ExecutionQueued>[] {
  const { attempt, worker_queue_id: queueId, queued_at: queuedAt } = execution;
  if (queueId === null || queuedAt === null) return [];
  return [{ dueAt: queuedAt, payload: { ...refOf(execution), attempt, queueId } }];
}
