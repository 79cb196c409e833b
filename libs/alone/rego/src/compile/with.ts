import { insertAt } from '../evaluate/context.js';
import type { Context, Evaluate, Frame, Mock, RuleNode } from '../evaluate/context.js';
import { addOverride } from '../evaluate/documents.js';
import type { Builtin } from '../builtins/types.js';
import type { Expr, RefTerm, Term, With } from '../syntax/ast.js';
import type { Value } from '../values/value.js';
import { functionPath } from './calls.js';
import { constantOf } from './constants.js';
import { dottedName } from './resolve.js';
import { compileTerm } from './terms.js';
import type { Step, Unit } from './unit.js';

type Modify = (context: Context, frame: Frame, outer: Context) => Context | undefined;

/**
 * Adds a step that runs the statement compiled by `compile` in a context with the modifiers, and continues in the
 * previous context.
 */
export function compileWith(unit: Unit, expr: Expr, steps: Step[], compile: (inner: Step[]) => void): void {
  const modifiers = expr.with.map((modifier) => compileModifier(unit, modifier, steps));
  const inner: Step[] = [];
  compile(inner);
  steps.push((next) => {
    const slot = unit.temporary();
    const exec = unit.plan(inner, (frame) => {
      const saved = frame[slot] as unknown as Context;
      return next(frame, saved);
    });
    return (frame, context) => {
      let changed = context;
      for (const modify of modifiers) {
        const after = modify(changed, frame, context);
        if (after === undefined) return false;
        changed = after;
      }
      context.run.meter.allocate(256);
      const previous = frame[slot];
      (frame as unknown[])[slot] = context;
      const stop = exec(frame, changed);
      frame[slot] = previous;
      return stop;
    };
  });
}

function compileModifier(unit: Unit, modifier: With, steps: Step[]): Modify {
  const { target } = modifier;
  if (target.kind === 'ref' && target.head.kind === 'var') {
    const root = target.head.name;
    if (root === 'input') return documentModifier(unit, target, modifier.value, steps, changeInput);
    if (root === 'data') {
      const path = functionPath(target);
      const replaced = path === undefined ? undefined : unit.env.functionAt(path);
      if (path !== undefined && replaced !== undefined) {
        return mockModifier(unit, `data\0${path.join('\0')}`, replaced.arity, modifier, steps);
      }
      if (replacesPartOfRule(unit, target))
        unit.fault('with keyword cannot partially replace virtual document(s)', target.loc, 'rego_compile_error');
      return documentModifier(unit, target, modifier.value, steps, changeData);
    }
  }
  const name = dottedName(target);
  const replaced = name === undefined ? undefined : unit.env.builtin(name);
  if (name === undefined || replaced === undefined) {
    unit.fault(`with keyword target must reference existing input, data, or a function`, target.loc, 'rego_type_error');
    return (context) => context;
  }
  const reason = irreplaceable(name, replaced);
  if (reason !== undefined) {
    unit.fault(
      `with keyword replacing built-in function: target must not be ${reason}`,
      target.loc,
      'rego_compile_error',
    );
  }
  return mockModifier(unit, name, replaced.arity, modifier, steps);
}

/** Returns whether the replaced path is inside the value of a rule. */
function replacesPartOfRule(unit: Unit, target: RefTerm): boolean {
  let node: RuleNode | undefined = unit.env.tree.root;
  for (const part of target.path) {
    if (node.kind !== 'package' || node.dynamicKind !== undefined) return true;
    const key = constantOf(part);
    node = key === undefined ? undefined : node.child(key);
    if (node === undefined) return false;
  }
  return false;
}

/**
 * Returns the reason if replacing a builtin would have no effect, because rules never call it by its name; otherwise
 * undefined.
 */
function irreplaceable(name: string, { relation }: Builtin): string | undefined {
  if (name.startsWith('internal.')) return 'internal';
  if (name.startsWith('rego.metadata.')) return name;
  if (name === 'print') return 'void';
  return relation === undefined ? undefined : 'a relation';
}

type Change = (context: Context, path: readonly Value[], value: Value) => Context;

function documentModifier(unit: Unit, target: RefTerm, source: Term, steps: Step[], change: Change): Modify {
  const path = target.path.map((part) => compileTerm(unit, part, steps));
  const evaluate: Evaluate = compileTerm(unit, source, steps);
  return (context, frame, outer) => {
    const value = evaluate(frame, outer);
    if (value === undefined) return undefined;
    const keys: Value[] = [];
    for (const part of path) {
      const key = part(frame, outer);
      if (key === undefined) return undefined;
      keys.push(key);
    }
    return change(context, keys, value);
  };
}

const changeInput: Change = (context, path, value) => context.with({ input: insertAt(context.input, path, value) });
const changeData: Change = (context, path, value) =>
  context.with({ overrides: addOverride(context.overrides, path, value) });

function mockModifier(unit: Unit, name: string, arity: number, modifier: With, steps: Step[]): Modify {
  const replacement = functionReplacement(unit, modifier);
  const given = replacement === undefined ? arity : arityOf(replacement, arity);
  if (given !== arity) {
    const what = name.startsWith('data\0') ? name.replaceAll('\0', '.') : name;
    unit.fault(`${what}: arity mismatch: expected ${arity} arguments, got ${given}`, modifier.loc, 'rego_type_error');
  }
  const evaluate: Evaluate | undefined =
    replacement === undefined ? compileTerm(unit, modifier.value, steps) : undefined;
  return (context, frame, outer) => {
    let mock = replacement;
    if (evaluate !== undefined) {
      const value = evaluate(frame, outer);
      if (value === undefined) return undefined;
      mock = { value };
    }
    return mock === undefined ? undefined : context.with({ mocks: new Map([...(context.mocks ?? []), [name, mock]]) });
  };
}

function arityOf(mock: Mock, asReplaced: number): number {
  if ('target' in mock) return mock.target.arity;
  return 'builtin' in mock ? mock.builtin.arity : asReplaced;
}

function functionReplacement(unit: Unit, { value, builtin: name }: With): Mock | undefined {
  if (value.kind === 'ref' && value.head.kind === 'var' && value.head.name === 'data') {
    const path = functionPath(value);
    const target = path === undefined ? undefined : unit.env.functionAt(path);
    return target === undefined ? undefined : { target };
  }
  const builtin = name === undefined ? undefined : unit.env.builtin(name);
  if (name === undefined || builtin === undefined) return undefined;
  const refusal = unit.env.refusal(name);
  if (refusal !== undefined) unit.fault(refusal, value.loc, 'rego_refused_builtin');
  return { builtin, name };
}
