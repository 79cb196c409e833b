import type { Caller, Scope } from '@app/kernel';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { Execution } from '../executions/execution.types.js';

/** `user`: a client without a lease; `worker`: the holder of the lease; `platform`: the control plane itself. */
export const ACTOR_KINDS = ['user', 'worker', 'platform'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly name: string | null;
}

/** The scope of a change and the user who makes it. Without a user, the platform makes the change. */
export type ActingScope = Scope & Partial<Pick<Caller, 'userId' | 'userName'>>;

/** `acquired`: a worker received the lease; `expired` and `handed_back`: the lease ended before the execution. */
export type LeaseChange = 'acquired' | 'expired' | 'handed_back';

/** The row of a change of an execution. */
export interface StoredTransition {
  readonly organization_id: string;
  readonly execution_id: string;
  /** Increases with each change of the execution. A string, because it is a bigint. */
  readonly sequence: string;
  readonly at: Date;
  /** Null for the creation of the execution. Equal to `to_status` if only the lease or the attempt changed. */
  readonly from_status: ExecutionStatus | null;
  readonly to_status: ExecutionStatus;
  /** The attempt after the change. */
  readonly attempt: number;
  /** Null if the change neither began a lease nor ended one before the end of the execution. */
  readonly lease: LeaseChange | null;
  /** Time at which the attempt is due, if the change put the execution into its queue. */
  readonly queued_at: Date | null;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly reason: string | null;
}

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
  /** Null if no queue delivers the execution. */
  readonly queued_at: Date | null;
  readonly leased_at: Date | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly worker_id: string | null;
  readonly worker_name: string | null;
  /** Null while no worker has it. */
  readonly outcome: AttemptOutcome | null;
  readonly error_message: string | null;
}

export interface Timeline extends Pick<
  Execution,
  'id' | 'status' | 'job_id' | 'worker_queue_id' | 'parent_execution_id'
> {
  readonly trace_id: string | null;
  /** Number of executions that this one started. */
  readonly children: number;
  readonly attempts: readonly Attempt[];
  readonly transitions: readonly Transition[];
}
