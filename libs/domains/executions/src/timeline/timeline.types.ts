import type { ExecutionStatus } from '../executions/execution-state.js';
import type { Execution, StoredExecution } from '../executions/execution.types.js';
import type { Actor, StoredTransition } from '../executions/transition.types.js';

export type LedgerEntry = Omit<StoredTransition, 'organization_id' | 'execution_id' | 'sequence'>;

export interface Transition {
  readonly at: Date;
  readonly from: ExecutionStatus | null;
  readonly to: ExecutionStatus;
  readonly attempt: number;
  readonly actor: Actor;
  readonly reason: string | null;
}

/**
 * `lease_expired`: the worker was lost; `handed_back`: the worker returned the lease, and another worker can continue
 * the attempt.
 */
export const ATTEMPT_OUTCOMES = [
  'running',
  'completed',
  'failed',
  'cancelled',
  'lease_expired',
  'handed_back',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/**
 * An attempt, from the time it was queued to the end of its lease. An attempt whose lease was returned has several
 * entries.
 */
export interface Attempt {
  readonly attempt: number;
  /** Null if no queue delivers the execution, or not before the end of another one of its session. */
  readonly queued_at: Date | null;
  readonly leased_at: Date | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly worker_id: string | null;
  readonly worker_name: string | null;
  /** Null while no worker has it. */
  readonly outcome: AttemptOutcome | null;
  readonly error_message: string | null;
  /** Whether the execution was queued only after others of its session had ended. */
  readonly was_held: boolean;
}

/** An ended execution with what its trace contains. */
export interface TracedExecution extends Pick<
  StoredExecution,
  | 'id'
  | 'execution_type'
  | 'entity_id'
  | 'entity_name'
  | 'status'
  | 'error_message'
  | 'cause'
  | 'trigger_type'
  | 'job_id'
  | 'parent_execution_id'
  | 'worker_queue_id'
  | 'session_id'
  | 'traceparent'
  | 'trace_origin'
  | 'created_at'
> {
  readonly completed_at: Date;
  /** If it had to wait in its session: the execution for which it waited last; null if it is not known any more. */
  readonly waited_for: string | null;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
}

export interface Timeline extends Pick<
  Execution,
  'id' | 'status' | 'job_id' | 'worker_queue_id' | 'parent_execution_id'
> {
  readonly trace_id: string | null;
  /** The execution of its session for whose end it waits; null if it does not wait. */
  readonly waits_for_execution_id: string | null;
  /** Number of executions that this one started. */
  readonly children: number;
  readonly attempts: readonly Attempt[];
  readonly transitions: readonly Transition[];
}
