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

/** The scope of a change and the user who makes it. Without a user, the change is one of the platform. */
export type ActingScope = Scope & Partial<Pick<Caller, 'userId' | 'userName'>>;

/** `acquired`: a worker received the lease; the others end it before the execution ends. */
export type LeaseChange = 'acquired' | 'expired' | 'handed_back';

/** A change of an execution, as it is stored. */
export interface StoredTransition {
  readonly organization_id: string;
  readonly execution_id: string;
  /** Increases with each change of the execution. A string, because it is a bigint. */
  readonly sequence: string;
  readonly at: Date;
  /** Null: the execution was created. Equal to `to_status` if only the lease or the attempt changed. */
  readonly from_status: ExecutionStatus | null;
  readonly to_status: ExecutionStatus;
  /** After the change. */
  readonly attempt: number;
  /** Null if the change neither began a lease nor ended one before the end of the execution. */
  readonly lease: LeaseChange | null;
  /** When the attempt is due, if the change put the execution into its queue. */
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

/** `lease_expired`: the worker was lost; `handed_back`: it returned the lease, and another one may continue the attempt. */
export const ATTEMPT_OUTCOMES = [
  'running',
  'completed',
  'failed',
  'cancelled',
  'lease_expired',
  'handed_back',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An attempt from its queueing to the end of its lease. An attempt whose lease was returned early has several entries. */
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
