import type { CallIdentity } from './identity.js';

/**
 * `refused`: the call had no usable key, exceeded a limit, or the platform rejected it. `failed`: the run ended without
 * success, its result could not be read, it could not be cancelled, or an internal error ended the call. `cancelled`: the
 * client cancelled the call or disconnected, and no run of the call goes on.
 */
export type CallOutcome = 'succeeded' | 'failed' | 'refused' | 'cancelled';

/** What is known of a call at its end. */
export interface CallRecord {
  /** The name of the tool, or the method of another request that reads or changes what belongs to the caller. */
  readonly tool: string;
  /** Null if the call has no usable key. */
  readonly identity: CallIdentity | null;
  readonly executionId: string | null;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}

/** An error that an operator should know of. */
export interface CallProblem {
  readonly error: unknown;
  readonly tool: string;
  readonly executionId: string | null;
}

/** Admits the calls and receives a record of each. */
export interface CallWatch {
  /** Called before each call with a key. Returns a function that ends the call. Throws a CallFault to reject it. */
  readonly admit: (identity: CallIdentity) => () => void;
  readonly record: (call: CallRecord) => void;
  /** Called for the internal error of a call, and for a run whose end the call does not know. */
  readonly report: (problem: CallProblem) => void;
}
