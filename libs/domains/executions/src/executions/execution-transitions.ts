import { Database } from '@app/database';
import type { ExecutionRef } from '@app/events';
import { toWireTime } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { commandFor, statusOf } from '../lifecycle/decide.js';
import type { ChangedExecution } from '../lifecycle/lifecycle.repository.js';
import { LifecycleService, type Applied, type Outcome } from '../lifecycle/lifecycle.service.js';
import type { ReportedFields, Sender, SentCommand } from '../lifecycle/lifecycle.types.js';
import { ExecutionChangePublisher } from './execution-change-publisher.js';
import { executionNotFound, jobExecutionNotFound, leaseLost, transitionRefused } from './execution.errors.js';
import { ExecutionRepository } from './execution.repository.js';
import { isFinal, type ExecutionStatus } from './execution-state.js';
import type { Execution } from './execution.types.js';
import { PLATFORM, type ActingScope, type Actor } from './transition.types.js';

/** The fields of an update, with the columns derived from its usage. */
export interface StoredFields extends ReportedFields {
  readonly status?: ExecutionStatus;
}

export interface Restriction {
  /** The execution must be one of this job. */
  readonly jobId?: string;
  /** `running` applies only to an execution that has begun. */
  readonly isResumption?: boolean;
  /** If true, the failure is not retried, whatever the retry policy of the execution says. */
  readonly withoutRetry?: boolean;
}

/** Changes executions under the rules of their states and leases, and publishes the committed changes. */
@Injectable()
export class ExecutionTransitions {
  constructor(
    private readonly database: Database,
    private readonly lifecycle: LifecycleService,
    private readonly executions: ExecutionRepository,
    private readonly changes: ExecutionChangePublisher,
  ) {}

  /** Throws `conflict` if the transition is not allowed or a given lease token is stale; nothing is written then. */
  async apply(
    scope: ActingScope,
    id: string,
    { status, ...fields }: StoredFields,
    leaseToken: string | null,
    { jobId, isResumption = false, withoutRetry = false }: Restriction = {},
  ): Promise<Execution> {
    const by = { ...senderOf(scope, leaseToken, withoutRetry), ...(jobId === undefined ? {} : { jobId }) };
    const command: SentCommand =
      status === undefined
        ? { name: 'report', by, fields }
        : { name: isResumption ? 'resume' : commandFor(status), by, fields, withoutRetry };
    const ref = { organizationId: scope.organizationId, executionId: id };
    const outcome = await this.lifecycle.apply(ref, command);
    if (outcome.outcome === 'repeated') return this.read(ref);
    if (outcome.outcome !== 'changed') throw rejectionOf(outcome, command);
    await this.database.committed(() => this.publish(ref, outcome, leaseToken));
    return executionOf(outcome.execution);
  }

  /**
   * Ends the lease of an execution that waits for input. `hasInput` is called while the execution is locked; if it
   * returns true, the execution is queued again at once. Throws like `apply`.
   */
  async suspend(
    scope: ActingScope,
    id: string,
    fields: ReportedFields,
    leaseToken: string | null,
    hasInput: () => Promise<boolean>,
  ): Promise<Execution> {
    const ref = { organizationId: scope.organizationId, executionId: id };
    const command: SentCommand = { name: 'suspend', by: senderOf(scope, leaseToken), fields };
    const { suspended, requeued } = await this.database.transaction(async () => {
      const outcome = await this.lifecycle.apply(ref, command);
      if (outcome.outcome !== 'changed') throw rejectionOf(outcome, command);
      // The platform queues it again, not the worker.
      const input = (await hasInput())
        ? await this.queueWaiting({ organizationId: ref.organizationId }, id)
        : undefined;
      return { suspended: outcome, requeued: input };
    });
    await this.database.committed(async () => {
      await this.changes.clearLease(ref);
      if (suspended.change.from !== suspended.execution.status) await this.publish(ref, suspended, null);
      if (requeued !== undefined) await this.publish(ref, requeued, null);
    });
    return executionOf((requeued ?? suspended).execution);
  }

  /**
   * Puts an execution that is suspended for input back into its queue, in the caller's transaction. Returns undefined if
   * it is not suspended.
   */
  async wake(scope: ActingScope, id: string): Promise<Execution | undefined> {
    const requeued = await this.queueWaiting(scope, id);
    if (requeued === undefined) return undefined;
    const ref = { organizationId: scope.organizationId, executionId: id };
    this.database.afterCommit(() => this.publish(ref, requeued, null));
    return executionOf(requeued.execution);
  }

  private async queueWaiting(scope: ActingScope, executionId: string): Promise<Applied | undefined> {
    const ref = { organizationId: scope.organizationId, executionId };
    const outcome = await this.lifecycle.apply(ref, { name: 'wake', by: senderOf(scope, null) });
    return outcome.outcome === 'changed' ? outcome : undefined;
  }

  private async read({ organizationId, executionId }: ExecutionRef): Promise<Execution> {
    const execution = await this.executions.find({ organizationId }, executionId);
    if (execution === undefined) throw executionNotFound();
    return execution;
  }

  private async publish(ref: ExecutionRef, { execution, change }: Applied, leaseToken: string | null): Promise<void> {
    const { command, lease_worker_id: worker } = change.columns;
    const isCommanded = leaseToken === null && command !== null && worker !== null;
    const signaled = isCommanded ? this.changes.signalCommands(worker) : undefined;
    const { attempt, status } = execution;
    const { from, retryAt } = change;
    if (retryAt !== undefined) {
      await this.changes.clearLease(ref);
      await this.changes.publishStatus(ref, from, status, { attempt, retry_at: toWireTime(retryAt) });
    } else if (from !== status) await this.publishStatus(ref, from, status, leaseToken);
    await signaled;
  }

  /** Final states are not published here but by the handler of `execution.finished`, so that they precede `done`. */
  private async publishStatus(
    ref: ExecutionRef,
    from: ExecutionStatus,
    to: ExecutionStatus,
    leaseToken: string | null,
  ): Promise<void> {
    if (!isFinal(to)) await this.changes.publishStatus(ref, from, to);
    else if (leaseToken === null) await this.changes.clearLease(ref);
  }
}

function executionOf({ previous_status: _previous, attempt: _attempt, ...execution }: ChangedExecution): Execution {
  return execution;
}

/** Returns the error for a command that changed nothing. */
function rejectionOf(outcome: Exclude<Outcome, Applied>, command: SentCommand): Error {
  if (outcome.outcome === 'missing') return executionNotFound();
  if (outcome.outcome === 'repeated') return new Error(`The command ${command.name} cannot be a repetition`);
  const { why, from } = outcome;
  if (why === 'other_job') return jobExecutionNotFound();
  return why === 'lease_lost' ? leaseLost() : transitionRefused(from, statusOf(command) ?? from);
}

/**
 * Returns who sends a command; its actor is null for the holder of the lease. `byPlatform`: the platform itself ends an
 * execution that cannot run, although it uses the token of the holder.
 */
function senderOf({ userId, userName }: ActingScope, token: string | null, byPlatform = false): Sender {
  if (byPlatform || (token === null && userId === undefined)) return { token, actor: PLATFORM };
  const user: Actor = { kind: 'user', id: userId ?? null, name: userName ?? null };
  return { token, actor: token === null ? user : null };
}
