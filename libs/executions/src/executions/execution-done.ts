import { toWireTime, type JsonObject } from '@app/kernel';
import type { Execution } from './execution.types.js';

/** What the `done` event says of an ended execution; the rest is read from the execution itself. */
export function doneOf(execution: Execution): JsonObject {
  return {
    execution_id: execution.id,
    status: execution.status,
    response: execution.response,
    error_message: execution.error_message,
    usage: execution.usage,
    completed_at: toWireTime(execution.completed_at),
  };
}
