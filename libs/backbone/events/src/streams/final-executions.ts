import type { JsonObject } from '@app/kernel';
import type { ExecutionRef } from '../log/event-types.js';

/** An execution in a final state. */
export interface FinalExecution extends ExecutionRef {
  /** Data, with `timestamp`, of the `done` frame that is created if the event was lost. */
  readonly done: JsonObject;
  /** Time of its last change. Its `completed_at` can be any time, because workers may report it. */
  readonly updatedAt: Date;
}

/** Finds the final states of executions. Provided by the domain of executions. */
export abstract class FinalExecutions {
  /**
   * Returns those of the executions that are final, with one PostgreSQL statement: it is called every few seconds with
   * the executions of all streams of the process.
   */
  abstract findFinal(executions: readonly ExecutionRef[]): Promise<readonly FinalExecution[]>;
}
