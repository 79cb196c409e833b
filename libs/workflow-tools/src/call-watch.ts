import type { CallIdentity } from './identity.js';

/**
 * `refused`: the call had no usable key, exceeded a limit, or the platform rejected it. `failed`: the run ended without
 * success. `cancelled`: the client cancelled the call or disconnected.
 */
export type CallOutcome = 'succeeded' | 'failed' | 'refused' | 'cancelled';

/** What is known of a call at its end. */
export interface CallRecord {
  readonly tool: string;
  /** Null if the call has no usable key. */
  readonly identity: CallIdentity | null;
  readonly executionId: string | null;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}

/** Admits the calls and receives a record of each. */
export interface CallWatch {
  /** Called before each call with a key. Returns a function that ends the call. Throws a CallFault to reject it. */
  readonly admit: (identity: CallIdentity) => () => void;
  readonly record: (call: CallRecord) => void;
}
