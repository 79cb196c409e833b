import type { Meter } from '../budget.js';
import type { Value } from '../values/value.js';

/** The state that all contexts of one evaluation share. */
export interface Run {
  readonly meter: Meter;
  readonly strict: boolean;
  /** Nanoseconds since 1970. */
  readonly now: bigint;
  readonly seed: string;
  readonly memo: Map<string, Value>;
  readonly print: ((line: string) => void) | undefined;
  readonly runtime: Value | undefined;
}
