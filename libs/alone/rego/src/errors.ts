/** A fault in a module, found while it was parsed or compiled. Rows and columns begin at 1. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly row: number;
  readonly col: number;
  readonly file: string;
}

export type FaultCode =
  | 'rego_parse_error'
  | 'rego_compile_error'
  | 'rego_type_error'
  | 'rego_unsafe_var_error'
  | 'rego_recursion_error'
  | 'rego_refused_builtin';

/** Modules or a query cannot be compiled. Lists every fault that was found. */
export class RegoCompileError extends Error {
  override readonly name = 'RegoCompileError';

  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(describeFault).join('\n'));
  }
}

function describeFault(fault: Fault): string {
  const place = fault.file === '' ? `${fault.row}:${fault.col}` : `${fault.file}:${fault.row}:${fault.col}`;
  return `${place}: ${fault.code}: ${fault.message}`;
}

export type EvaluationCode = 'eval_conflict_error' | 'eval_type_error' | 'eval_builtin_error' | 'eval_internal_error';

/** An evaluation has no result, because rules contradict each other or, in strict mode, a builtin failed. */
export class RegoEvaluationError extends Error {
  override readonly name = 'RegoEvaluationError';

  constructor(
    readonly code: EvaluationCode,
    message: string,
  ) {
    super(message);
  }
}

export type BudgetKind = 'steps' | 'time' | 'depth' | 'memory';

/** The evaluation exceeded its budget and was stopped. */
export class RegoBudgetError extends Error {
  override readonly name = 'RegoBudgetError';

  constructor(
    readonly kind: BudgetKind,
    readonly limit: number,
  ) {
    super(`evaluation exceeded its budget of ${kind} (${limit})`);
  }
}

/** Input or data is not a JSON value. */
export class RegoInputError extends Error {
  override readonly name = 'RegoInputError';
}
