import type { ExecutionWithConfig, StoredExecution, WorkerCommandName } from '../executions/execution.types.js';

/** The right to run one attempt of an execution until it expires. See ADR 0004. */
export interface LeasedExecution {
  /** Sent as `X-Lease-Token` with every write of the run. */
  readonly leaseToken: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly expiresAt: Date;
  readonly execution: ExecutionWithConfig;
}

/** The columns of a lease that operators see. */
export const HELD_LEASE_COLUMNS = [
  ...(['id', 'execution_type', 'entity_name', 'status', 'attempt', 'max_attempts'] as const),
  ...(['leased_at', 'lease_expires_at', 'command', 'command_at'] as const),
] as const satisfies (keyof StoredExecution)[];

/** A lease that a worker holds, with the execution of this `id`. */
export type HeldLease = Pick<StoredExecution, (typeof HELD_LEASE_COLUMNS)[number]>;

export interface PollRequest {
  readonly workerId: string;
  /** Becomes the `runner_name` of the leased executions. If absent, they keep theirs. */
  readonly runnerName?: string | null;
  readonly queueId: string;
  /** Maximum number of executions. */
  readonly max: number;
  /** Maximum wait for the first execution, in milliseconds. */
  readonly waitMs: number;
  /** Length of a lease without renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Time within which the worker must make its first write, in milliseconds. After it, the lease expires. */
  readonly confirmMs: number;
  /** Ends the wait early, because the client disconnected; nothing is leased after the abort. */
  readonly signal?: AbortSignal;
  /**
   * Called before each read of the queue; `false` leaves the queue unchanged, because it is paused or inactive. May
   * throw.
   */
  readonly mayTake?: () => Promise<boolean>;
}

/** A command to a worker about one of its executions. Delivered more than once; workers must handle it idempotently. */
export interface WorkerCommand {
  readonly command: WorkerCommandName;
  readonly execution_id: string;
}

/** A command with its time, which distinguishes it from a later command of the same kind. */
export interface GivenCommand extends WorkerCommand {
  readonly command_at: Date;
}

/** Leases that may be delivered to their worker, and its commands. */
export interface ConfirmedLeases {
  readonly deliverable: ReadonlySet<LeasedExecution>;
  readonly commands: readonly WorkerCommand[];
}

/**
 * Why all leases of a worker are released. `shutdown`: the worker stopped on purpose, so the attempts do not count.
 * `crash`: an execution may have caused the crash, so the attempts count.
 */
export type ReleaseCause = 'shutdown' | 'crash';

/**
 * Why a lease did not reach its worker. `response_lost`: the response was not received; the attempt does not count.
 * `not_assembled`: the run could not be assembled, and further attempts may fail in the same way; the attempt counts.
 */
export type UndeliveredCause = 'response_lost' | 'not_assembled';
