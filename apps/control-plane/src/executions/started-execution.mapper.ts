import type { StartedRun } from '@app/runs';
import type { StartedExecutionResponse } from './dto/started-execution.response.dto.js';

/** `workflow_id` is the execution id, which is also the id of the run in the queue. */
export function toStartedExecutionResponse({ execution, unservedQueue }: StartedRun): StartedExecutionResponse {
  return {
    execution_id: execution.id,
    workflow_id: execution.id,
    status: execution.status,
    message: execution.error_message ?? startMessage(`Execution of ${execution.entity_name} started`, unservedQueue),
  };
}

/** Returns the message of a start, with a hint if no live worker serves the queue of the execution. */
export function startMessage(message: string, unservedQueue: string | null): string {
  return unservedQueue === null ? message : `${message}; ${waitingMessage(unservedQueue)}`;
}

export function waitingMessage(queue: string): string {
  return `it waits, because no live worker serves the queue ${queue}`;
}
