import { EventLog, type ExecutionRef, type NewEvent } from '@app/events';
import type { JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { ExecutionStatus } from './execution-state.js';

/**
 * Who must know that a state changed, once it is committed. Unless said otherwise, what fails here is only late: Postgres
 * has the state.
 */
@Injectable()
export class ExecutionAnnouncer {
  private readonly logger = createLogger('executions');

  constructor(private readonly log: EventLog) {}

  /** A `status` event for the readers. */
  async changed(execution: ExecutionRef, from: ExecutionStatus, to: ExecutionStatus): Promise<void> {
    await this.quietly(this.log.publish(execution, this.statusEvent(execution, from, to), null));
  }

  /**
   * The same for the last state there is: told once, however often it is said. Fails when it was not told: `done` ends the
   * streams of the readers, so it has to wait.
   */
  async ended(execution: ExecutionRef, from: ExecutionStatus, to: ExecutionStatus): Promise<void> {
    await this.log.publish(execution, { ...this.statusEvent(execution, from, to), once: 'ended' }, null);
  }

  async messageSent(execution: ExecutionRef, message: JsonObject): Promise<void> {
    await this.quietly(this.log.publish(execution, { event_type: 'message', data: message }, null));
  }

  /** From now on the event log asks Postgres about tokens of this execution. */
  async leaseEnded(execution: ExecutionRef): Promise<void> {
    await this.quietly(this.log.clearLease(execution));
  }

  private statusEvent({ executionId }: ExecutionRef, from: ExecutionStatus, to: ExecutionStatus): NewEvent {
    this.logger.info({ execution_id: executionId, from, to }, 'execution changed its state');
    return { event_type: 'status', data: { execution_id: executionId, status: to, previous_status: from } };
  }

  private async quietly(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      this.logger.warn(
        { reason: (error as Error).message },
        'readers of an execution were not told; they see it later',
      );
    });
  }
}
