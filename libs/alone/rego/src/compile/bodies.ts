import type { Evaluate, Exec } from '../evaluate/context.js';
import { valueKeys } from '../evaluate/documents.js';
import type { CallTerm, EveryExpr, Expr, Term, TermExpr } from '../syntax/ast.js';
import { isArray, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { calleeOf } from './calls.js';
import { iterateRef } from './refs.js';
import { constantOf, isGenerator } from './constants.js';
import { hoistIterations } from './hoist.js';
import { compileTerm } from './terms.js';
import { testStep } from './unit.js';
import type { Step, Unit } from './unit.js';
import { unifySteps } from './unify.js';
import { compileWith } from './with.js';

/** Adds the steps for statements that are already in a safe order. */
export function compileBody(unit: Unit, body: readonly Expr[], steps: Step[]): void {
  for (const expr of body) {
    if (expr.with.length > 0) compileWith(unit, expr, steps, (inner) => compileStatement(unit, expr, inner));
    else compileStatement(unit, expr, steps);
  }
}

function compileStatement(unit: Unit, expr: Expr, steps: Step[]): void {
  if (expr.kind === 'every') compileEvery(unit, expr, steps);
  else if (expr.kind === 'term' && expr.negated) compileNegated(unit, expr, steps);
  else if (expr.kind === 'term') compilePositive(unit, expr.term, steps);
}

function compilePositive(unit: Unit, written: Term, steps: Step[]): void {
  const isUnification = written.kind === 'call' && written.ref?.kind !== 'ref' && written.name === 'eq';
  const term = written.kind === 'call' && !isUnification ? hoistIterations(unit, written, steps) : written;
  if (term.kind === 'value') {
    if (term.value === false) steps.push(() => () => false);
    return;
  }
  if (term.kind === 'call' && term.ref?.kind !== 'ref' && term.name === 'eq' && term.args.length === 2) {
    unifySteps(unit, term.args[0] as Term, term.args[1] as Term, steps);
    return;
  }
  if (term.kind === 'call') {
    const result = outputOf(unit, term);
    if (result !== undefined) {
      unifySteps(unit, result, { ...term, args: term.args.slice(0, -1) }, steps);
      return;
    }
  }
  if (term.kind === 'ref' && isGenerator(unit, term)) {
    iterateRef(unit, term, steps, () => (next) => (value, frame, context) => value !== false && next(frame, context));
    return;
  }
  steps.push(testStep(compileTerm(unit, term, steps)));
}

/**
 * Returns the last argument of a call with one argument more than the function has. The result of the call is unified
 * with it.
 */
function outputOf(unit: Unit, term: CallTerm): Term | undefined {
  if (term.ref?.kind !== 'ref' && (term.name === 'print' || unit.env.builtin(term.name) === undefined))
    return undefined;
  const callee = calleeOf(unit, term);
  return callee !== undefined && term.args.length === callee.arity + 1 ? term.args[term.args.length - 1] : undefined;
}

/**
 * Compiles `not`. Calls and references inside the term are evaluated before the negation, so the statement fails if one
 * of them is undefined. Only the negated reference itself, or a side of a negated comparison, can be undefined.
 */
function compileNegated(unit: Unit, { term }: TermExpr, steps: Step[]): void {
  const inner: Step[] = [];
  const positive = hoistInside(unit, term, steps);
  unit.scoped(() => compilePositive(unit, positive, inner));
  const holds = unit.plan(inner, () => true);
  steps.push((next) => (frame, context) => !holds(frame, context) && next(frame, context));
}

function hoistInside(unit: Unit, term: Term, steps: Step[]): Term {
  if (term.kind !== 'call') return hoistOperands(unit, term, steps);
  const isComparison = term.ref?.kind !== 'ref' && (term.name === 'eq' || term.name === 'equal');
  const hoistArgument = isComparison ? hoistOperands : hoist;
  return { ...term, args: term.args.map((arg) => hoistArgument(unit, arg, steps)) };
}

/** Moves operands before the negation, except for the reference itself and terms with their own scope. */
function hoistOperands(unit: Unit, term: Term, steps: Step[]): Term {
  if (term.kind === 'ref') return { ...term, path: term.path.map((part) => hoist(unit, part, steps)) };
  return 'body' in term || term.kind === 'template' ? term : hoist(unit, term, steps);
}

function hoist(unit: Unit, term: Term, steps: Step[]): Term {
  if (term.kind === 'var' || constantOf(term) !== undefined || !unit.isBound(term)) return term;
  const name = `#not${unit.temporary()}`;
  const evaluate = compileTerm(unit, term, steps);
  const slot = unit.slot(name);
  unit.bound.add(name);
  steps.push((next) => (frame, context) => {
    const value = evaluate(frame, context);
    if (value === undefined) return false;
    frame[slot] = value;
    return next(frame, context);
  });
  return { kind: 'var', name, loc: term.loc };
}

function compileEvery(unit: Unit, expr: EveryExpr, steps: Step[]): void {
  const domain: Evaluate = compileTerm(unit, expr.domain, steps);
  const keySlot = expr.key === undefined ? undefined : unit.slot(expr.key.name);
  const valueSlot = unit.slot(expr.value.name);
  const holds: Exec = unit.scoped(() => {
    if (expr.key !== undefined) unit.bound.add(expr.key.name);
    unit.bound.add(expr.value.name);
    const inner: Step[] = [];
    compileBody(unit, unit.order(expr.body), inner);
    return unit.plan(inner, () => true);
  });
  steps.push((next) => (frame, context) => {
    const collection = domain(frame, context);
    if (collection === undefined || !isCollection(collection)) return false;
    for (const key of valueKeys(collection)) {
      context.run.meter.step();
      if (keySlot !== undefined) frame[keySlot] = key;
      frame[valueSlot] = lookup(collection, key);
      if (!holds(frame, context)) return false;
    }
    return next(frame, context);
  });
}

function isCollection(value: Value): boolean {
  return isArray(value) || value instanceof RegoObject || value instanceof RegoSet;
}
