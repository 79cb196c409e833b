import type { ExecutionWithConfig } from '../executions/execution.types.js';
import type { Runnable } from '../runnables/runnable-source.js';
import type { PlanExecution } from '../executions/execution-plan.js';

/** An execution that was read with its current token. */
export interface HeldExecution {
  readonly execution: ExecutionWithConfig;
  readonly leaseToken: string;
  readonly attempt: number;
  /** Null if no worker holds the execution. */
  readonly workerId: string | null;
  /** Null if its holder ended the execution. */
  readonly expiresAt: Date | null;
}

/** A choice that was checked against the candidates, with the data of the chosen entity. */
export interface CheckedPlan {
  readonly request: PlanExecution;
  readonly runnable: Runnable;
  /** The environment of the queue of the execution. */
  readonly environmentId: string;
  /** Why the entity cannot run, apart from policies; undefined if it can. */
  readonly refusal: string | undefined;
}
