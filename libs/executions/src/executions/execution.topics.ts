import { OutboxTopic } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import type { ExecutionStatus } from './execution-state.js';

/** An attempt of an execution is ready for its worker queue. */
export interface ExecutionQueued extends ExecutionRef {
  readonly attempt: number;
  readonly queueId: string;
}

export const executionQueued = new OutboxTopic<ExecutionQueued>('execution.queued');

/** An execution reached a final state. */
export interface ExecutionFinished extends ExecutionRef {
  /** The state before; `pending` of one that failed as it was made. */
  readonly from: ExecutionStatus;
}

export const executionFinished = new OutboxTopic<ExecutionFinished>('execution.finished');
