import type { ExecutionOrder } from '../executions/execution.types.js';

/** A right to run one attempt of one execution, until it expires. See ADR 0004. */
export interface LeasedExecution {
  /** Sent as `X-Lease-Token` with every write of the run. */
  readonly leaseToken: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly expiresAt: Date;
  readonly execution: ExecutionOrder;
}

export interface PollRequest {
  readonly workerId: string;
  readonly queueId: string;
  /** At most so many executions. */
  readonly max: number;
  /** How long to wait for the first, in milliseconds. */
  readonly waitMs: number;
  /** How long a lease lasts without renewal, in milliseconds. */
  readonly leaseMs: number;
  /** How long the worker may take to its first write, in milliseconds; then the lease goes to others. */
  readonly confirmMs: number;
  /** Ends the wait early (the client has gone); nothing is leased after that. */
  readonly signal?: AbortSignal;
  /** Asked before each look at the queue; `false` leaves everything where it is (a paused or inactive queue); may throw. */
  readonly mayTake?: () => Promise<boolean>;
}

export type WorkerCommandName = 'cancel' | 'pause' | 'resume';

/** What a worker is asked to do with one of its executions. Repeated for a while; the same again changes nothing. */
export interface WorkerCommand {
  readonly command: WorkerCommandName;
  readonly execution_id: string;
}

/**
 * Why a worker gives up all its leases. `shutdown`: it stopped on purpose, the attempt does not count.
 * `crash`: whatever it ran may have killed it, the attempt counts.
 */
export type HandBackCause = 'shutdown' | 'crash';
