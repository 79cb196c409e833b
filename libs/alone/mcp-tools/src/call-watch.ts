import type { CallOutcome } from './call-fault.js';
import type { CallIdentity } from './identity.js';

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
