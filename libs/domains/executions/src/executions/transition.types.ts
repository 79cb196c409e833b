import type { Caller, Scope } from '@app/kernel';
import type { ExecutionStatus } from './execution-state.js';

/** `user`: a client without a lease; `worker`: the holder of the lease; `platform`: the control plane itself. */
export const ACTOR_KINDS = ['user', 'worker', 'platform'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly name: string | null;
}

export const PLATFORM: Actor = { kind: 'platform', id: null, name: null };

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
