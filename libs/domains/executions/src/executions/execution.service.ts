import type { ExecutionRef, FinalExecution, FinalExecutions } from '@app/events';
import type { PageResult, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { UsagePricing } from '../usage/usage-pricing.js';
import { ExecutionAdmission } from './execution-admission.js';
import { finalExecutionOf } from './execution.events.js';
import { executionNotFound, leaseLost } from './execution.errors.js';
import { ExecutionRepository } from './execution.repository.js';
import { ExecutionTransitions } from './execution-transitions.js';
import type { GateVerdict } from './execution-gate.js';
import type {
  Execution,
  ExecutionOwner,
  ExecutionWithConfig,
  ExecutionFilter,
  CreateExecution,
  ExecutionAssignment,
  JobRunReport,
  RepeatableExecution,
  StartedExecution,
  StartExecution,
  UpdateExecution,
} from './execution.types.js';
import type { ActingScope } from './transition.types.js';

/** The life cycle of executions. Every start (trigger, schedule, webhook, task) uses this service. */
@Injectable()
export class ExecutionService implements FinalExecutions {
  constructor(
    private readonly executions: ExecutionRepository,
    private readonly admission: ExecutionAdmission,
    private readonly transitions: ExecutionTransitions,
    private readonly pricing: UsagePricing,
  ) {}

  /**
   * Starts an execution on a worker queue, in the caller's transaction if there is one. After the commit it is
   * delivered to a worker at least once. If the gate denies it, returns a failed execution with the reason, and nothing
   * is delivered. An execution of a session is delivered after those that were accepted before it, unless its `multitask`
   * says otherwise.
   */
  async start(scope: Scope, request: StartExecution): Promise<StartedExecution> {
    return this.admission.admit(scope, request, request.assignment);
  }

  /** Returns whether the gate would allow the start of this execution. Stores nothing. */
  async verdictOn(
    scope: Scope,
    request: CreateExecution,
    assignment: ExecutionAssignment | null,
  ): Promise<GateVerdict> {
    return this.admission.verdictOn(scope, request, assignment);
  }

  /** Inserts a failed execution for a start that cannot run; `reason` becomes its `error_message`. */
  async startFailed(scope: Scope, request: CreateExecution, reason: string): Promise<StartedExecution> {
    return this.admission.insertFailed(scope, request, reason);
  }

  /**
   * Inserts an execution that the caller runs itself, so no queue delivers it. The gate decides on it as on any other.
   */
  async create(scope: Scope, request: CreateExecution): Promise<Execution> {
    return this.admission.admit(scope, request, null);
  }

  async read(scope: Scope, id: string): Promise<Execution> {
    const execution = await this.executions.find(scope, id);
    if (execution === undefined) throw executionNotFound();
    return execution;
  }

  /**
   * Like `read`; throws `lease_lost` if the token is not the current one. Null skips the check. Does not renew the
   * lease.
   */
  async readLeased(scope: Scope, id: string, leaseToken: string | null): Promise<ExecutionWithConfig> {
    const [execution, guards] = await Promise.all([
      this.executions.findWithConfig(scope, id),
      this.executions.findGuards(scope, id),
    ]);
    if (execution === undefined) throw executionNotFound();
    if (leaseToken !== null && guards?.lease_token !== leaseToken) throw leaseLost();
    return execution;
  }

  /** Returns what a repetition of the start of an execution needs. */
  async readRepeatable(scope: Scope, id: string): Promise<RepeatableExecution> {
    const execution = await this.executions.findRepeatable(scope, id);
    if (execution === undefined) throw executionNotFound();
    return execution;
  }

  /** Returns the executions that exist, by id. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Execution>> {
    const executions = ids.length === 0 ? [] : await this.executions.findByIds(scope, ids);
    return new Map(executions.map((execution) => [execution.id, execution]));
  }

  /** Returns the users of the executions that exist, by execution. */
  async ownersByIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, ExecutionOwner>> {
    const owners = ids.length === 0 ? [] : await this.executions.findOwners(scope, ids);
    return new Map(owners.map((owner) => [owner.id, owner]));
  }

  /** Returns the `traceparent` of each of the executions that exists and has one, by id. */
  async tracesByIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return ids.length === 0 ? new Map() : this.executions.findTraces(scope, ids);
  }

  /** Returns up to `limit` executions of a trace that have not ended, or not before `endedSince`, oldest first. */
  async recentByTrace(
    scope: Scope,
    traceId: string,
    within: { readonly endedSince: Date; readonly limit: number },
  ): Promise<Execution[]> {
    return this.executions.findRecentByTrace(scope, traceId, within);
  }

  /** Newest first. */
  async list(scope: Scope, filter: ExecutionFilter, page: Page): Promise<PageResult<Execution>> {
    return this.executions.list(scope, filter, page);
  }

  /** Returns those of the executions that have ended, as their streams use them. */
  async findFinal(executions: readonly ExecutionRef[]): Promise<FinalExecution[]> {
    const final = await this.executions.findFinal(executions);
    return final.map(finalExecutionOf);
  }

  /**
   * Applies an update. Throws `conflict` if the transition is not allowed or a given lease token is stale; nothing is
   * written then. Repeating the final status is allowed and changes nothing. If the retry policy allows another attempt
   * after a failure, the execution becomes pending instead.
   */
  async patch(scope: ActingScope, id: string, update: UpdateExecution, leaseToken: string | null): Promise<Execution> {
    const { usage } = update;
    // Calculated before the transaction, because prices may have to be fetched.
    const priced = usage === undefined ? {} : await this.pricing.columnsOf(scope, usage);
    return this.transitions.apply(scope, id, { ...update, ...priced }, leaseToken);
  }

  /** Marks an execution as failed without a further attempt, because none can succeed. Throws like `patch`. */
  async fail(scope: Scope, id: string, reason: string, leaseToken: string | null): Promise<Execution> {
    const failure = { status: 'failed', error_message: reason } as const;
    return this.transitions.apply(scope, id, failure, leaseToken, { withoutRetry: true });
  }

  /**
   * Cancels an execution that has not ended. A pending one never starts; the worker of a running one receives a
   * command.
   */
  async cancel(scope: ActingScope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.transitions.apply(scope, id, { status: 'cancelled' }, leaseToken);
  }

  async pause(scope: ActingScope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.transitions.apply(scope, id, { status: 'paused' }, leaseToken);
  }

  /**
   * Resumes a paused execution. Its worker receives a command; if its worker has died, the execution returns to its
   * queue.
   */
  async resume(scope: ActingScope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.transitions.apply(scope, id, { status: 'running' }, leaseToken, { isResumption: true });
  }

  /** Applies a worker's report on a job's execution (`/job/:job_id/status`), under the same rules as an update. */
  async reportJobStatus(
    scope: ActingScope,
    id: string,
    jobId: string,
    report: JobRunReport,
    leaseToken: string | null,
  ): Promise<Execution> {
    const { status, duration_ms, error_message, failure_reason } = report;
    return this.transitions.apply(
      scope,
      id,
      {
        // A report of `pending` does not reset an execution that has begun.
        ...(status === 'pending' ? {} : { status }),
        ...(duration_ms == null ? {} : { duration_ms }),
        ...(error_message == null ? {} : { error_message }),
        ...(failure_reason === undefined ? {} : { failure_reason }),
      },
      leaseToken,
      { jobId },
    );
  }
}
