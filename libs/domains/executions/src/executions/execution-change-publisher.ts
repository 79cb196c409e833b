import { Database } from '@app/database';
import { WorkerSignals } from '@app/dispatch';
import { EventLog, type ExecutionRef, type NewEvent } from '@app/events';
import type { JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { ExecutionPlan } from './execution-plan.js';
import type { ExecutionStatus } from './execution-state.js';

/**
 * Publishes committed changes of executions to the event log. Except for `publishFinalStatus` and `publishPlan`,
 * methods log a failure and do not reject: the state is in PostgreSQL, and readers receive it later.
 */
@Injectable()
export class ExecutionChangePublisher {
  private readonly logger = createLogger('executions');

  constructor(
    private readonly log: EventLog,
    private readonly database: Database,
    private readonly workers: WorkerSignals,
  ) {}

  /** Publishes a `status` event with additional data. */
  async publishStatus(
    execution: ExecutionRef,
    from: ExecutionStatus,
    to: ExecutionStatus,
    data: JsonObject = {},
  ): Promise<void> {
    await this.logFailure(this.log.publish(execution, this.statusEvent(execution, from, to, data), null));
  }

  /**
   * Publishes the `status` event of a final state. Idempotent. Rejects if the event was not published: `done` ends the
   * streams of the readers and must follow it.
   */
  async publishFinalStatus(execution: ExecutionRef, from: ExecutionStatus, to: ExecutionStatus): Promise<void> {
    await this.log.publish(execution, { ...this.statusEvent(execution, from, to), dedupeKey: 'ended' }, null);
  }

  /** Publishes the `metadata` event of a plan. Idempotent. Rejects if the event was not published. */
  async publishPlan(execution: ExecutionRef, plan: ExecutionPlan): Promise<void> {
    await this.log.publish(execution, { event_type: 'metadata', data: { plan }, dedupeKey: 'planned' }, null);
  }

  /** Publishes a `message` event after the commit of the current transaction. */
  publishMessage(execution: ExecutionRef, message: JsonObject): void {
    const event = { event_type: 'message', data: message };
    this.database.afterCommit(() => this.logFailure(this.log.publish(execution, event, null)));
  }

  /**
   * Removes the copy of the lease token from the event log, so that the token of the next event is checked in
   * PostgreSQL.
   */
  async clearLease(execution: ExecutionRef): Promise<void> {
    await this.logFailure(this.log.clearLease(execution));
  }

  /** Signals that these workers have commands, to the processes that hold their connections. */
  async signalCommands(...workerIds: readonly string[]): Promise<void> {
    await this.workers.commanded(...workerIds);
  }

  private statusEvent(
    { executionId }: ExecutionRef,
    from: ExecutionStatus,
    to: ExecutionStatus,
    data: JsonObject = {},
  ): NewEvent {
    this.logger.info({ ...data, execution_id: executionId, from, to }, 'execution status changed');
    return { event_type: 'status', data: { execution_id: executionId, status: to, previous_status: from, ...data } };
  }

  private async logFailure(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      this.logger.warn(
        { reason: (error as Error).message },
        'publishing a change of an execution failed; readers receive it later',
      );
    });
  }
}
