import { missingParametersNotice } from '@app/execution-wire';
import type { StartedRun } from '@app/orchestration';
import type { StartedExecutionResponse } from './dto/started-execution.response.dto.js';

/** `workflow_id` is the execution id, which is also the id of the run in the queue. */
export function toStartedExecutionResponse(started: StartedRun): StartedExecutionResponse {
  const { id, status, error_message, entity_name } = started.execution;
  return {
    execution_id: id,
    workflow_id: id,
    status,
    message: error_message ?? startMessage(`Execution of ${entity_name} started`, started),
  };
}

/**
 * Returns the message of a start, with hints if another execution of its session has not ended, if no live worker serves the queue of the execution, and if parameters are
 * missing.
 */
export function startMessage(
  message: string,
  { execution: { waitsFor }, unservedQueue, missingParameters }: Omit<StartedRun, 'runnableId'>,
): string {
  const waits = [
    ...(waitsFor === null ? [] : [`it waits, because the execution ${waitsFor} of its session has not ended`]),
    ...(unservedQueue === null ? [] : [waitingMessage(unservedQueue)]),
  ];
  const started = [message, ...waits].join('; ');
  const missing = missingParametersNotice(missingParameters);
  return missing === null ? started : `${started}. ${missing}`;
}

export function waitingMessage(queue: string): string {
  return `it waits, because no live worker serves the queue ${queue}`;
}
