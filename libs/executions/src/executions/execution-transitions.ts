import { Database } from '@app/database';
import { Outbox } from '@app/dispatch';
import { Clock, toWireTime, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { executionFinished, executionQueued } from './execution.events.js';
import type { FinalFields, PatchGuard, StoredFields } from './execution-patch.sql.js';
import { executionNotFound, jobExecutionNotFound, leaseLost, transitionRefused } from './execution.errors.js';
import { ExecutionRepository, type PatchedExecution, type RetriedExecution } from './execution.repository.js';
import { isFinal, type ExecutionStatus } from './execution-state.js';
import type { Execution } from './execution.types.js';
import type { ActingScope, Actor } from './transition.types.js';

/** `queued_at` is set if the change queued the next attempt. */
type Changed = PatchedExecution & Partial<Pick<RetriedExecution, 'queued_at'>>;

/** Changes executions under the rules of their states and leases, with the messages that must follow a change. */
@Injectable()
export class ExecutionTransitions {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly outbox: Outbox,
    private readonly changes: ExecutionChangePublisher,
    private readonly clock: Clock,
  ) {}

  /** Throws `conflict` if the transition is not allowed or a given lease token is stale; nothing is written then. */
  async apply(
    scope: ActingScope,
    id: string,
    fields: StoredFields,
    leaseToken: string | null,
    restriction?: Pick<PatchGuard, 'jobId' | 'from' | 'withoutRetry'>,
  ): Promise<Execution> {
    const guard = { ...this.guardOf(scope, id, leaseToken, restriction?.withoutRetry), ...restriction };
    const changed = await this.change(guard, fields);
    if (changed === undefined) throw await this.rejectionOf(guard, fields);
    const { previous_status: previous, commanded_worker: worker, attempt, queued_at: retryAt, ...execution } = changed;
    await this.database.committed(async () => {
      const signaled = worker === null ? undefined : this.changes.signalCommands(worker);
      if (retryAt !== undefined) await this.publishRetry(scope, execution, previous, { attempt, retryAt });
      else if (previous !== execution.status) await this.publishChange(scope, execution, previous, leaseToken);
      await signaled;
    });
    return execution;
  }

  /**
   * Ends the lease of an execution that waits for input. `hasInput` is called while the execution is locked; if it
   * returns true, the execution is queued again at once. Throws like `apply`.
   */
  async suspend(
    scope: ActingScope,
    id: string,
    fields: StoredFields,
    leaseToken: string | null,
    hasInput: () => Promise<boolean>,
  ): Promise<Execution> {
    const guard = this.guardOf(scope, id, leaseToken);
    const { suspended, requeued } = await this.database.transaction(async () => {
      await this.executions.lock(scope, id);
      const changed = await this.executions.suspend(guard, { ...fields, status: 'waiting_for_input' });
      if (changed === undefined) throw await this.rejectionOf(guard, { status: 'waiting_for_input' });
      return {
        suspended: changed,
        requeued: (await hasInput())
          ? await this.requeueWaiting({ organizationId: scope.organizationId }, id)
          : undefined,
      };
    });
    await this.database.committed(async () => {
      await this.changes.clearLease({ organizationId: scope.organizationId, executionId: id });
      if (suspended.previous_status !== suspended.status) await this.publishPatched(scope, suspended);
      if (requeued !== undefined) await this.publishPatched(scope, requeued);
    });
    return executionOf(requeued ?? suspended);
  }

  /**
   * Puts an execution that is suspended for input back into its queue, in the caller's transaction, which must have locked
   * it. Returns undefined if it is not suspended.
   */
  async wake(scope: ActingScope, id: string): Promise<Execution | undefined> {
    const requeued = await this.requeueWaiting(scope, id);
    if (requeued === undefined) return undefined;
    this.database.afterCommit(() => this.publishPatched(scope, requeued));
    return executionOf(requeued);
  }

  private guardOf(scope: ActingScope, id: string, leaseToken: string | null, byPlatform = false): PatchGuard {
    const actor = actorOf(scope, leaseToken, byPlatform);
    return { organizationId: scope.organizationId, id, leaseToken, actor, now: this.clock.now() };
  }

  private async change(guard: PatchGuard, fields: StoredFields): Promise<Changed | undefined> {
    const { status } = fields;
    if (status !== undefined && isFinal(status)) {
      const finished = await this.finish(guard, { ...fields, status });
      return finished === undefined && status === 'failed' ? this.retry(guard, fields) : finished;
    }
    const changed = await this.executions.patch(guard, fields);
    return changed === undefined && status === 'running' ? this.requeue(guard, fields) : changed;
  }

  /**
   * Queues a suspended execution again instead of setting it to running. Commits the row and its message together. Locks
   * the row first, because `LeaseReapTask` may be suspending it concurrently.
   */
  private async requeue(guard: PatchGuard, fields: StoredFields): Promise<PatchedExecution | undefined> {
    return this.database.transaction(async () => {
      await this.executions.lock(guard, guard.id);
      return (await this.requeueLocked(guard, fields)) ?? this.executions.patch(guard, fields);
    });
  }

  private async requeueWaiting(scope: ActingScope, id: string): Promise<PatchedExecution | undefined> {
    return this.requeueLocked({ ...this.guardOf(scope, id, null), from: ['waiting_for_input'] }, {});
  }

  private async requeueLocked(guard: PatchGuard, fields: StoredFields): Promise<PatchedExecution | undefined> {
    const requeued = await this.executions.requeue(guard, fields);
    if (requeued?.worker_queue_id == null) return undefined;
    const { attempt, worker_queue_id: queueId } = requeued;
    const ref = { organizationId: guard.organizationId, executionId: guard.id };
    await this.outbox.add(executionQueued, { ...ref, attempt, queueId });
    return requeued;
  }

  /**
   * Commits the next attempt and its message, if the retry policy of the execution allows one after this failure. A
   * repeated report without a token changes nothing, because the attempt that it ended is over.
   */
  private async retry(guard: PatchGuard, fields: StoredFields): Promise<Changed | undefined> {
    if (guard.withoutRetry === true) return undefined;
    const ref = { organizationId: guard.organizationId, executionId: guard.id };
    const retried = await this.executions.retry(guard, fields, this.outbox.partialDraft(executionQueued, ref));
    if (retried !== undefined || guard.leaseToken !== null) return retried;
    return this.executions.findRetried(guard);
  }

  /** Commits the final state and its message in one statement. */
  private async finish(guard: PatchGuard, fields: FinalFields): Promise<PatchedExecution | undefined> {
    const ref = { organizationId: guard.organizationId, executionId: guard.id };
    return this.executions.finish(guard, fields, this.outbox.partialDraft(executionFinished, ref));
  }

  /** Final states are not published here but by the handler of `execution.finished`, so that they precede `done`. */
  private async publishChange(
    scope: Scope,
    execution: Execution,
    previous: ExecutionStatus,
    leaseToken: string | null,
  ): Promise<void> {
    const ref = { organizationId: scope.organizationId, executionId: execution.id };
    if (!isFinal(execution.status)) await this.changes.publishStatus(ref, previous, execution.status);
    else if (leaseToken === null) await this.changes.clearLease(ref);
  }

  private async publishPatched(scope: Scope, patched: PatchedExecution): Promise<void> {
    await this.publishChange(scope, executionOf(patched), patched.previous_status, null);
  }

  private async publishRetry(
    scope: Scope,
    { id: executionId, status }: Execution,
    previous: ExecutionStatus,
    { attempt, retryAt }: { readonly attempt: number; readonly retryAt: Date },
  ): Promise<void> {
    const ref = { organizationId: scope.organizationId, executionId };
    await this.changes.clearLease(ref);
    await this.changes.publishStatus(ref, previous, status, { attempt, retry_at: toWireTime(retryAt) });
  }

  /** Returns the error for a write that matched no row. */
  private async rejectionOf(guard: PatchGuard, fields: StoredFields): Promise<Error> {
    const execution = await this.executions.findGuards(guard, guard.id);
    if (execution === undefined) return executionNotFound();
    if (guard.jobId !== undefined && execution.job_id !== guard.jobId) return jobExecutionNotFound();
    if (guard.leaseToken !== null && execution.lease_token !== guard.leaseToken) return leaseLost();
    return transitionRefused(execution.status, fields.status ?? execution.status);
  }
}

function executionOf({ previous_status: _previous, attempt: _attempt, ...execution }: PatchedExecution): Execution {
  return execution;
}

/**
 * Returns who makes a change; null for the holder of the lease. `byPlatform`: the platform itself ends an execution
 * that cannot run, although it uses the token of the holder.
 */
function actorOf(scope: ActingScope, leaseToken: string | null, byPlatform: boolean): Actor | null {
  const { userId, userName } = scope;
  if (byPlatform || (leaseToken === null && userId === undefined)) return { kind: 'platform', id: null, name: null };
  return leaseToken === null ? { kind: 'user', id: userId ?? null, name: userName ?? null } : null;
}
