import type { ExecutionWithConfig } from '../executions/execution.types.js';
import type { Runnable } from '../runnables/runnable-source.js';
import type { PlanExecution } from './execution-plan.js';

/** An execution under a token that is current. */
export interface HeldExecution {
  readonly execution: ExecutionWithConfig;
  readonly leaseToken: string;
  readonly attempt: number;
  /** Null if its holder ended it. */
  readonly expiresAt: Date | null;
}

/** A choice that was checked against the candidates, with what it runs. */
export interface CheckedPlan {
  readonly request: PlanExecution;
  readonly runnable: Runnable;
  /** The environment of the queue of the execution. */
  readonly environmentId: string;
  /** Why it may not run, apart from policies; undefined if it may. */
  readonly refusal: string | undefined;
}
