import { OutboxTopic } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';

/** An attempt of an execution is ready for its worker queue. */
export interface ExecutionQueued extends ExecutionRef {
  readonly attempt: number;
  readonly queueId: string;
}

export const executionQueued = new OutboxTopic<ExecutionQueued>('execution.queued');

/** An execution reached a final state. */
export const executionFinished = new OutboxTopic<ExecutionRef>('execution.finished');
