import { BuiltinError } from '../builtins/types.js';
import type { Builtin } from '../builtins/types.js';
import { RegoEvaluationError, RegoInputError } from '../errors.js';
import type { Context, Evaluate, Frame, FunctionNode, Mock } from '../evaluate/context.js';
import { callFunction } from '../evaluate/rules.js';
import type { CallTerm, RefTerm, Term } from '../syntax/ast.js';
import { compare, equal } from '../values/compare.js';
import { NumberRangeError } from '../values/decimal.js';
import { JsonSyntaxError } from '../values/json.js';
import { valueText } from '../values/text.js';
import { isArray } from '../values/value.js';
import type { Value } from '../values/value.js';
import { metadataConstant } from './metadata.js';
import { constantOf } from './constants.js';
import { compileTerm } from './terms.js';
import type { MakeFound, Step, Unit } from './unit.js';

/** Comparisons cannot fail and cannot be replaced, so they are called without an argument list. */
const COMPARISONS: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  equal,
  neq: (a, b) => !equal(a, b),
  lt: (a, b) => compare(a, b) < 0,
  lte: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  gte: (a, b) => compare(a, b) >= 0,
};

/** Returns the path of a function below `data`, if the call names one. */
export function functionPath(ref: RefTerm): readonly Value[] | undefined {
  const path = ref.path.map(constantOf);
  return path.every((key): key is Value => key !== undefined) ? path : undefined;
}

/** Returns the function of the modules, or the builtin, that a call names. */
export function calleeOf(unit: Unit, term: CallTerm): FunctionNode | Builtin | undefined {
  if (!namesRule(term)) return unit.env.builtin(term.name);
  const path = functionPath(term.ref);
  return path === undefined ? undefined : unit.env.functionAt(path);
}

function namesRule(term: CallTerm): term is CallTerm & { readonly ref: RefTerm } {
  return term.ref?.kind === 'ref' && term.ref.head.kind === 'var' && term.ref.head.name === 'data';
}

/** Like `calleeOf`, and reports a fault if the function does not exist or must not be called. */
function resolveCallee(unit: Unit, term: CallTerm): FunctionNode | Builtin | undefined {
  const callee = calleeOf(unit, term);
  const refusal = namesRule(term) ? undefined : unit.env.refusal(term.name);
  if (refusal !== undefined) unit.fault(refusal, term.loc, 'rego_refused_builtin');
  if (callee === undefined && term.ref?.kind === 'ref') {
    const root = namesRule(term) ? 'data' : 'input';
    const name = [root, ...(functionPath(term.ref) ?? [])].join('.');
    unit.fault(`undefined function ${name}`, term.loc, 'rego_type_error');
  }
  return callee;
}

export function compileCall(unit: Unit, term: CallTerm, steps: Step[]): Evaluate {
  const special = compileSpecial(unit, term, steps);
  if (special !== undefined) return special;
  const callee = resolveCallee(unit, term);
  const args = term.args.map((arg) => compileTerm(unit, arg, steps));
  if (callee === undefined) return () => undefined;
  if (args.length !== callee.arity) {
    unit.fault(
      `${term.name}: arity mismatch: expected ${callee.arity} arguments, got ${args.length}`,
      term.loc,
      'rego_type_error',
    );
  }
  return compileApplication(mockName(term), callee, args);
}

function compileSpecial(unit: Unit, term: CallTerm, steps: Step[]): Evaluate | undefined {
  if (term.ref?.kind === 'ref') return undefined;
  if (term.name === 'eq' || term.name === 'assign') {
    unit.fault(
      `${term.name === 'eq' ? 'unification' : 'assignment'} cannot be used as a value`,
      term.loc,
      'rego_compile_error',
    );
    return () => undefined;
  }
  if (term.name === 'print') return compilePrint(unit, term, steps);
  const metadata = metadataConstant(term.name, unit.chain);
  if (metadata !== undefined && term.args.length === 0) return () => metadata;
  const comparison = COMPARISONS[term.name];
  if (comparison === undefined || term.args.length !== 2) return undefined;
  const [left, right] = term.args.map((arg) => compileTerm(unit, arg, steps)) as [Evaluate, Evaluate];
  return (frame, context) => {
    const a = left(frame, context);
    if (a === undefined) return undefined;
    const b = right(frame, context);
    return b === undefined ? undefined : comparison(a, b);
  };
}

function compilePrint(unit: Unit, term: CallTerm, steps: Step[]): Evaluate {
  const args = term.args.map((arg) => compileTerm(unit, arg, steps));
  return (frame, context) => {
    const { print } = context.run;
    if (print !== undefined) print(args.map((arg) => printable(arg(frame, context))).join(' '));
    return true;
  };
}

function printable(value: Value | undefined): string {
  if (value === undefined) return '<undefined>';
  return typeof value === 'string' ? value : valueText(value);
}

/** Returns the name under which `with` can replace the function. */
function mockName(term: CallTerm): string {
  if (term.ref?.kind !== 'ref') return term.name;
  return `data\0${(functionPath(term.ref) ?? []).join('\0')}`;
}

function compileApplication(name: string, callee: FunctionNode | Builtin, args: readonly Evaluate[]): Evaluate {
  const apply = (context: Context, values: readonly Value[]): Value | undefined =>
    'call' in callee ? callBuiltin(context, name, callee, values) : callFunction(context, callee, values);
  return (frame, context) => {
    const values = evaluateAll(args, frame, context);
    if (values === undefined) return undefined;
    const mock = context.mocks === undefined ? undefined : context.mocks.get(name);
    return mock === undefined ? apply(context, values) : callMock(context, mock, values);
  };
}

function evaluateAll(args: readonly Evaluate[], frame: Frame, context: Context): Value[] | undefined {
  const values: Value[] = new Array<Value>(args.length);
  for (let at = 0; at < args.length; at++) {
    const value = (args[at] as Evaluate)(frame, context);
    if (value === undefined) return undefined;
    values[at] = value;
  }
  return values;
}

/** Calls a replacement. Inside it, no function is replaced. */
function callMock(context: Context, mock: Mock, args: readonly Value[]): Value | undefined {
  if ('value' in mock) return mock.value;
  const inner = context.with({ mocks: undefined });
  if ('target' in mock) return callFunction(inner, mock.target, args);
  return callBuiltin(inner, mock.name, mock.builtin, args);
}

/** The clock is checked for arguments with more than this number of characters and items together. */
const LARGE = 4096;

function sizeOf(args: readonly Value[]): number {
  let size = 0;
  for (const arg of args) if (typeof arg === 'string' || isArray(arg)) size += arg.length;
  return size;
}

function callBuiltin(context: Context, name: string, builtin: Builtin, args: readonly Value[]): Value | undefined {
  const { run } = context;
  const size = sizeOf(args);
  run.meter.work(1 + size / 64);
  try {
    const value = builtin.call(args, run);
    if (size > LARGE) run.meter.checkTime();
    return value;
  } catch (error) {
    const code = builtinErrorCode(error);
    if (code === undefined) throw error;
    if (size > LARGE) run.meter.checkTime();
    if (!run.strict) return undefined;
    throw new RegoEvaluationError(code, `${name}: ${(error as Error).message}`);
  }
}

function builtinErrorCode(error: unknown): 'eval_type_error' | 'eval_builtin_error' | undefined {
  if (error instanceof BuiltinError) return error.code === 'eval_type_error' ? 'eval_type_error' : 'eval_builtin_error';
  const known =
    error instanceof NumberRangeError || error instanceof JsonSyntaxError || error instanceof RegoInputError;
  return known ? 'eval_builtin_error' : undefined;
}

/** Adds the step of a builtin with several results, such as `walk`. */
export function relationStep(unit: Unit, term: CallTerm, steps: Step[], makeFound: MakeFound): void {
  const builtin = unit.env.builtin(term.name);
  const args = term.args.map((arg: Term) => compileTerm(unit, arg, steps));
  const found = makeFound();
  steps.push((next) => {
    const done = found(next);
    return (frame, context) => {
      const values = evaluateAll(args, frame, context);
      if (values === undefined || builtin?.relation === undefined) return false;
      const mock = context.mocks?.get(term.name);
      if (mock !== undefined) {
        const value = callMock(context, mock, values);
        return value !== undefined && done(value, frame, context);
      }
      for (const value of builtin.relation(values, context.run)) {
        context.run.meter.step();
        if (done(value, frame, context)) return true;
      }
      return false;
    };
  });
}
