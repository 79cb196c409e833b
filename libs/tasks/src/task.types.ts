import type { ExecutionStatus } from '@app/executions';
import type { JsonObject } from '@app/kernel';

/** One thing an agent was asked to do, by name. It is an execution of the agent, and has its id. */
export interface Task {
  readonly id: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly agent_id: string;
  readonly execution_id: string;
  /** As the caller sent them. */
  readonly parameters: JsonObject;
  readonly created_at: Date;
  /** The agent's answer, once there is one. */
  readonly result: string | null;
  /** Why it failed. */
  readonly error: string | null;
}

export interface StartTask {
  readonly name: string;
  readonly agent_id: string;
  readonly parameters: JsonObject;
}

/** What is stored of a task: the request, and the execution that it became. */
export interface RequestedTask extends StartTask {
  readonly execution_id: string;
  readonly created_at: Date;
}
