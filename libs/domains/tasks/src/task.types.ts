import type { ExecutionStatus } from '@app/executions';
import type { JsonObject } from '@app/kernel';

/** A named request to an agent, run as one execution of the agent. */
export interface Task {
  /** Same as `execution_id`. */
  readonly id: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly agent_id: string;
  readonly execution_id: string;
  /** Stored unchanged. */
  readonly parameters: JsonObject;
  readonly created_at: Date;
  /** Response of the agent; null before the execution has one. */
  readonly result: string | null;
  /** Error message of the execution; null without an error. */
  readonly error: string | null;
}

export interface StartTask {
  readonly name: string;
  readonly agent_id: string;
  readonly parameters: JsonObject;
}

/** The stored row of a task: the request and the id of its execution. */
export interface TaskRow extends StartTask {
  readonly execution_id: string;
  readonly created_at: Date;
}
