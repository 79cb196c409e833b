import { Database } from '@app/database';
import { Outbox, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef, FinalExecution } from '@app/events';
import { Clock, newId, type Listed, type Page, type Scope } from '@app/kernel';
import { currentContext, noteExecution, traceparentOf } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { ExecutionAnnouncer } from './execution-announcer.js';
import { doneOf } from './execution-done.js';
import { ExecutionGate } from './execution-gate.js';
import type { PatchFields, PatchGuard } from './execution-patch.sql.js';
import { executionNotFound, jobExecutionNotFound, leaseLost, transitionRefused } from './execution.errors.js';
import { ExecutionRepository, type NewExecution, type PatchedExecution } from './execution.repository.js';
import { isFinal, sourcesOf } from './execution-state.js';
import { executionFinished, executionQueued } from './execution.topics.js';
import type {
  Execution,
  ExecutionFilter,
  ExecutionOrigin,
  ExecutionPlace,
  JobRunReport,
  StartExecution,
  UpdateExecution,
} from './execution.types.js';
import { newExecution } from './new-execution.js';

/** What has not begun can not be resumed. */
const RESUMABLE = sourcesOf('running').filter((status) => status !== 'pending');

/**
 * Executions, from their start to their final state. Whoever starts one (a trigger, a schedule, a webhook, a task)
 * comes through here.
 */
@Injectable()
export class ExecutionService {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionRepository,
    private readonly outbox: Outbox,
    private readonly announcer: ExecutionAnnouncer,
    private readonly gate: ExecutionGate,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts an execution on a worker queue, in the caller's transaction where there is one. It is on its way to a worker
   * as soon as that commits, whatever breaks afterwards. One that the gate denies is answered failed, with the reason,
   * and goes nowhere.
   */
  async start(scope: Scope, start: StartExecution): Promise<Execution> {
    return this.admit(scope, start, start.place);
  }

  /** Records a start that can not run, with what is missing or forbids it. */
  async startFailed(scope: Scope, origin: ExecutionOrigin, reason: string): Promise<Execution> {
    return this.insert(scope, origin, failedFor(reason));
  }

  /** Records an execution that its maker runs itself: no queue delivers it. The gate is asked all the same. */
  async create(scope: Scope, origin: ExecutionOrigin): Promise<Execution> {
    return this.admit(scope, origin, null);
  }

  async read(scope: Scope, id: string): Promise<Execution> {
    const execution = await this.executions.find(scope, id);
    if (execution === undefined) throw executionNotFound();
    return execution;
  }

  /** Those of the ids that exist, by id. */
  async readAll(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Execution>> {
    const executions = ids.length === 0 ? [] : await this.executions.findAll(scope, ids);
    return new Map(executions.map((execution) => [execution.id, execution]));
  }

  /** Newest first. */
  async list(scope: Scope, filter: ExecutionFilter, page: Page): Promise<Listed<Execution>> {
    return this.executions.list(scope, filter, page);
  }

  /** Which of the executions are final, and what their `done` event says; for the event stream. */
  async findFinal(executions: readonly ExecutionRef[]): Promise<FinalExecution[]> {
    const final = await this.executions.findFinal(executions);
    return final.map((execution) => ({
      organizationId: execution.organization_id,
      executionId: execution.id,
      done: doneOf(execution),
    }));
  }

  /**
   * Writes what an update says, under the state rules. With a lease token also under its fence: a token that is not the
   * current one writes nothing. The same final status again changes nothing and is no error.
   */
  async patch(scope: Scope, id: string, update: UpdateExecution, leaseToken: string | null): Promise<Execution> {
    return this.write(scope, id, update, leaseToken);
  }

  /** Ends an execution that has not ended: pending work never starts, a running worker is told. */
  async cancel(scope: Scope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.write(scope, id, { status: 'cancelled' }, leaseToken);
  }

  async pause(scope: Scope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.write(scope, id, { status: 'paused' }, leaseToken);
  }

  /** Lets a paused execution go on: its worker is told; one whose worker died meanwhile goes back to its queue. */
  async resume(scope: Scope, id: string, leaseToken: string | null): Promise<Execution> {
    return this.write(scope, id, { status: 'running' }, leaseToken, { from: RESUMABLE });
  }

  /** The V2 report on a job's execution: its status moves the execution under the same rules as any update. */
  async reportJobStatus(
    scope: Scope,
    id: string,
    jobId: string,
    report: JobRunReport,
    leaseToken: string | null,
  ): Promise<Execution> {
    const { status, duration_ms, error_message } = report;
    return this.write(
      scope,
      id,
      {
        // A report that work has not begun takes nothing back.
        ...(status === 'pending' ? {} : { status }),
        ...(duration_ms == null ? {} : { duration_ms }),
        ...(error_message == null ? {} : { error_message }),
      },
      leaseToken,
      { jobId },
    );
  }

  /** What was decided and the execution it was decided on are one commit. */
  private async admit(scope: Scope, origin: ExecutionOrigin, place: ExecutionPlace | null): Promise<Execution> {
    const attempt = { ...origin, executionId: origin.executionId ?? newId(), place };
    const admission = await this.gate.ask(scope, attempt);
    const pending = { status: 'pending', error_message: null, worker_queue_id: place?.workerQueueId ?? null } as const;
    if (admission === undefined) return this.insert(scope, attempt, pending);
    return this.database.transaction(async () => {
      await admission.record();
      return this.insert(scope, attempt, admission.denial === null ? pending : failedFor(admission.denial));
    });
  }

  private async insert(scope: Scope, origin: ExecutionOrigin, rest: Beginning): Promise<Execution> {
    const context = currentContext();
    const traceparent = context === undefined ? null : traceparentOf(context.traceId);
    const execution = newExecution(scope, origin, this.clock.now(), { ...rest, traceparent });
    const ref = { organizationId: scope.organizationId, executionId: execution.id };
    noteExecution(execution.id);
    await this.executions.insert(execution, this.messagesOf(ref, execution));
    return execution;
  }

  /** What follows from a new execution; nothing where its maker runs it. */
  private messagesOf(ref: ExecutionRef, execution: NewExecution): OutboxDraft | undefined {
    const { worker_queue_id: queueId, attempt } = execution;
    if (isFinal(execution.status)) return this.outbox.draft(executionFinished, { ...ref, from: 'pending' });
    return queueId === null ? undefined : this.outbox.draft(executionQueued, { ...ref, attempt, queueId });
  }

  private async write(
    scope: Scope,
    id: string,
    fields: PatchFields,
    leaseToken: string | null,
    only?: Pick<PatchGuard, 'jobId' | 'from'>,
  ): Promise<Execution> {
    const guard = { organizationId: scope.organizationId, id, leaseToken, now: this.clock.now(), ...only };
    const written = await this.change(guard, fields);
    if (written === undefined) throw await this.refusal(guard, fields);
    const { previous_status: before, attempt: _attempt, ...execution } = written;
    if (before !== execution.status) await this.announce(scope, execution, before, leaseToken);
    return execution;
  }

  private async change(guard: PatchGuard, fields: PatchFields): Promise<PatchedExecution | undefined> {
    const { status } = fields;
    if (status !== undefined && isFinal(status)) return this.finish(guard, fields);
    const written = await this.executions.patch(guard, fields);
    return written === undefined && status === 'running' ? this.requeue(guard, fields) : written;
  }

  /**
   * A parked execution does not run again, it is delivered again: the row and its message are one commit. It is locked
   * before it is looked at, because a reaper may be parking it at this moment.
   */
  private async requeue(guard: PatchGuard, fields: PatchFields): Promise<PatchedExecution | undefined> {
    return this.database.transaction(async () => {
      await this.executions.lock(guard, guard.id);
      const requeued = await this.executions.requeue(guard, fields);
      if (requeued?.worker_queue_id == null) return this.executions.patch(guard, fields);
      const { attempt, worker_queue_id: queueId } = requeued;
      const ref = { organizationId: guard.organizationId, executionId: guard.id };
      await this.outbox.add(executionQueued, { ...ref, attempt, queueId });
      return requeued;
    });
  }

  /** The final state and the message that it was reached are one commit. */
  private async finish(guard: PatchGuard, fields: PatchFields): Promise<PatchedExecution | undefined> {
    return this.database.transaction(async () => {
      const written = await this.executions.patch(guard, fields);
      if (written !== undefined && written.previous_status !== written.status) {
        const ref = { organizationId: guard.organizationId, executionId: guard.id };
        await this.outbox.add(executionFinished, { ...ref, from: written.previous_status });
      }
      return written;
    });
  }

  /** A final state is announced by what handles its message, so that it comes before `done`. */
  private async announce(
    scope: Scope,
    execution: Execution,
    before: Execution['status'],
    leaseToken: string | null,
  ): Promise<void> {
    const ref = { organizationId: scope.organizationId, executionId: execution.id };
    if (!isFinal(execution.status)) await this.announcer.changed(ref, before, execution.status);
    else if (leaseToken === null) await this.announcer.leaseEnded(ref);
  }

  /** Why a write found nothing to change. */
  private async refusal(guard: PatchGuard, fields: PatchFields): Promise<Error> {
    const present = await this.executions.findGuards(guard, guard.id);
    if (present === undefined) return executionNotFound();
    if (guard.jobId !== undefined && present.job_id !== guard.jobId) return jobExecutionNotFound();
    if (guard.leaseToken !== null && present.lease_token !== guard.leaseToken) return leaseLost();
    return transitionRefused(present.status, fields.status ?? present.status);
  }
}

type Beginning = Pick<NewExecution, 'status' | 'error_message' | 'worker_queue_id'>;

function failedFor(reason: string): Beginning {
  return { status: 'failed', error_message: reason, worker_queue_id: null };
}
