import type { EvaluationCode } from '../errors.js';
import type { Run } from '../evaluate/run.js';
import type { Value } from '../values/value.js';

/** A builtin failed. The expression is then undefined or, in strict mode, the evaluation fails. */
export class BuiltinError extends Error {
  constructor(
    message: string,
    readonly code: EvaluationCode = 'eval_builtin_error',
  ) {
    super(message);
  }
}

/** Receives all arguments. Undefined means that the call has no value. */
export type BuiltinFunction = (args: readonly Value[], run: Run) => Value | undefined;

export interface Builtin {
  readonly arity: number;
  readonly call: BuiltinFunction;
  /** Returns several results instead of one. */
  readonly relation?: (args: readonly Value[], run: Run) => Iterable<Value>;
}

export type BuiltinTable = Readonly<Record<string, Builtin>>;
