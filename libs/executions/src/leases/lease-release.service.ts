import { Database } from '@app/database';
import { Outbox } from '@app/dispatch';
import { Clock, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionAnnouncer } from '../executions/execution-announcer.js';
import { isFinal } from '../executions/execution-state.js';
import { executionFinished, executionQueued, type ExecutionFinished } from '../executions/execution.topics.js';
import { LeaseRepository, type ReleasedExecution } from './lease.repository.js';
import type { HandBackCause, LeasedExecution } from './lease.types.js';

const REAP_BATCH = 100;

/**
 * Ends leases whose executions have not ended: they go back to their queue, or fail when no attempt is left. The new
 * state and the message that follows from it are one commit.
 */
@Injectable()
export class LeaseReleaseService {
  private readonly logger = createLogger('leases');

  constructor(
    private readonly database: Database,
    private readonly leases: LeaseRepository,
    private readonly outbox: Outbox,
    private readonly announcer: ExecutionAnnouncer,
    private readonly clock: Clock,
  ) {}

  /** All executions of a worker that goes away become available at once. Answers how many there were. */
  async handBack(scope: Scope, workerId: string, cause: HandBackCause): Promise<number> {
    const released = await this.release(() => this.leases.releaseOf(scope, workerId, cause, this.clock.now()));
    if (released.length > 0) {
      this.logger.info({ worker_id: workerId, cause, executions: released.length }, 'leases handed back');
    }
    return released.length;
  }

  /** A lease its worker never learnt of. */
  async giveBack(scope: Scope, { execution, leaseToken }: LeasedExecution): Promise<void> {
    await this.release(() => this.leases.releaseOne(scope, execution.id, leaseToken, this.clock.now()));
  }

  /** Takes leases that ran out from their workers. Answers whether there may be more. */
  async reapExpired(): Promise<boolean> {
    const released = await this.release(() => this.leases.releaseExpired(this.clock.now(), REAP_BATCH));
    for (const { id, attempt, status } of released) {
      this.logger.warn({ execution_id: id, attempt, status }, 'a lease ran out; its worker is taken for dead');
    }
    return released.length === REAP_BATCH;
  }

  private async release(take: () => Promise<ReleasedExecution[]>): Promise<readonly ReleasedExecution[]> {
    const released = await this.database.transaction(async () => {
      const taken = await take();
      await this.outbox.add(executionQueued, ...taken.flatMap(queuedAgain));
      await this.outbox.add(executionFinished, ...taken.flatMap(finished));
      return taken;
    });
    await Promise.all(released.map((execution) => this.announce(execution)));
    return released;
  }

  private async announce(execution: ReleasedExecution): Promise<void> {
    const { status, previous_status: before } = execution;
    await this.announcer.leaseEnded(refOf(execution));
    if (before !== status && !isFinal(status)) await this.announcer.changed(refOf(execution), before, status);
  }
}

function refOf({ organization_id, id }: ReleasedExecution): { organizationId: string; executionId: string } {
  return { organizationId: organization_id, executionId: id };
}

function finished(execution: ReleasedExecution): ExecutionFinished[] {
  const { status, previous_status: from } = execution;
  return isFinal(status) ? [{ ...refOf(execution), from }] : [];
}

function queuedAgain(
  execution: ReleasedExecution,
): { attempt: number; queueId: string; organizationId: string; executionId: string }[] {
  const { attempt, worker_queue_id: queueId, queued_at: queuedAt } = execution;
  return queueId === null || queuedAt === null ? [] : [{ ...refOf(execution), attempt, queueId }];
}
