import { OutboxTopic } from '@app/dispatch';
import type { ExecutionRef, FinalExecution } from '@app/events';
import { toWireTime, type JsonObject } from '@app/kernel';
import type { ExecutionStatus } from './execution-state.js';
import type { DoneExecution, Execution } from './execution.types.js';

/** An attempt of an execution is ready for its worker queue. */
export interface ExecutionQueued extends ExecutionRef {
  readonly attempt: number;
  readonly queueId: string;
}

export const executionQueued = new OutboxTopic<ExecutionQueued>('execution.queued');

/** An execution reached a final state. */
export interface ExecutionFinished extends ExecutionRef {
  /** The previous state; `pending` for an execution that was inserted as failed. */
  readonly from: ExecutionStatus;
  /** Set if the execution belongs to a session, in which others may wait for its end. */
  readonly inSession?: true;
  /**
   * Set if this queue may still contain a delivery of the execution, because the execution was not ended under a lease.
   */
  readonly delivery?: { readonly queueId: string; readonly attempt: number };
}

export const executionFinished = new OutboxTopic<ExecutionFinished>('execution.finished');

/** The worker of an execution without an entity has chosen one. */
export const executionPlanned = new OutboxTopic<ExecutionRef>('execution.planned');

/** Data of the `done` event. A reader that needs more fetches the execution. */
export function doneDataOf(execution: DoneExecution): JsonObject {
  return {
    execution_id: execution.id,
    status: execution.status,
    response: execution.response,
    error_message: execution.error_message,
    usage: execution.usage,
    completed_at: toWireTime(execution.completed_at),
  };
}

/** Returns a final execution as its streams use it. */
export function finalExecutionOf(execution: Execution): FinalExecution {
  return {
    organizationId: execution.organization_id,
    executionId: execution.id,
    done: { ...doneDataOf(execution), timestamp: toWireTime(execution.updated_at) },
    updatedAt: execution.updated_at,
  };
}
