import type { Term } from '../syntax/ast.js';
import { equal } from '../values/compare.js';
import { relationStep } from './calls.js';
import { compilePattern } from './patterns.js';
import { iterateRef } from './refs.js';
import { isGenerator } from './constants.js';
import { hoistIterations } from './hoist.js';
import { compileTerm } from './terms.js';
import type { MakeFound, Step, Unit } from './unit.js';
import { keyOf } from '../values/value.js';

/** Maximum number of parts, because each pass over the parts may find only one that can be ordered. */
const MOST_PARTS = 1000;

/** Adds the steps for `a = b`. Parts are compiled in an order in which one side of each is known. */
export function unifySteps(unit: Unit, left: Term, right: Term, steps: Step[]): void {
  let pending: [Term, Term][] = [[left, right]];
  while (pending.length > 0) {
    const later: [Term, Term][] = [];
    for (const [a, b] of pending) {
      const parts = decompose(unit, a, b);
      if (parts === 'mismatch') steps.push(() => () => false);
      else if (parts !== undefined) later.push(...parts);
      else if (!unifyPair(unit, a, b, steps)) later.push([a, b]);
    }
    if (
      later.length === pending.length &&
      later.every(([a, b], at) => pending[at]?.[0] === a && pending[at]?.[1] === b)
    ) {
      const hoisted = later.map((pair) => hoistFrom(unit, pair, steps));
      if (hoisted.every((pair, at) => pair === later[at])) {
        unit.unknownTerm('neither side of the unification is known', left.loc);
        return;
      }
      pending = hoisted;
      continue;
    }
    if (later.length > MOST_PARTS) {
      unit.fault('the unification has too many parts', left.loc, 'rego_compile_error');
      return;
    }
    pending = later;
  }
}

function hoistFrom(unit: Unit, pair: [Term, Term], steps: Step[]): [Term, Term] {
  const [a, b] = pair;
  const left = hoistIterations(unit, a, steps);
  const right = hoistIterations(unit, b, steps);
  return left === a && right === b ? pair : [left, right];
}

/** Decomposes two literals of the same shape with free variables, which are unified part by part. */
function decompose(unit: Unit, a: Term, b: Term): [Term, Term][] | 'mismatch' | undefined {
  if (unit.isBound(a) || unit.isBound(b)) return undefined;
  if (a.kind === 'array' && b.kind === 'array') {
    if (a.items.length !== b.items.length) return 'mismatch';
    return a.items.map((item, at) => [item, b.items[at] as Term]);
  }
  if (a.kind !== 'object' || b.kind !== 'object') return undefined;
  if (a.entries.length !== b.entries.length) return 'mismatch';
  const byKey = new Map(b.entries.map(([key, value]) => [key.kind === 'value' ? keyOf(key.value) : undefined, value]));
  if (byKey.has(undefined) || byKey.size !== b.entries.length) return undefined;
  const parts: [Term, Term][] = [];
  for (const [key, value] of a.entries) {
    if (key.kind !== 'value') return undefined;
    const other = byKey.get(keyOf(key.value));
    if (other === undefined) return 'mismatch';
    parts.push([value, other]);
  }
  return parts;
}

/** Returns false if neither side can be evaluated yet. */
function unifyPair(unit: Unit, a: Term, b: Term, steps: Step[]): boolean {
  if (generate(unit, a, b, steps) || generate(unit, b, a, steps)) return true;
  if (unit.isBound(b) && canMatch(unit, a)) {
    evaluateAndMatch(unit, b, a, steps);
    return true;
  }
  if (unit.isBound(a) && canMatch(unit, b)) {
    evaluateAndMatch(unit, a, b, steps);
    return true;
  }
  return false;
}

/**
 * Returns whether a value can be matched against the term: the parts of it that must be evaluated have no free
 * variables.
 */
function canMatch(unit: Unit, term: Term): boolean {
  if (term.kind === 'array') return term.items.every((item) => canMatch(unit, item));
  if (term.kind === 'object') return term.entries.every(([key, value]) => unit.isBound(key) && canMatch(unit, value));
  return term.kind === 'var' || term.kind === 'ref' || unit.isBound(term);
}

function generate(unit: Unit, source: Term, pattern: Term, steps: Step[]): boolean {
  if (!isGenerator(unit, source)) return false;
  const makeFound: MakeFound = () => {
    const before: Step[] = [];
    const matches = compilePattern(unit, pattern, before);
    return (next) => {
      if (before.length === 0) {
        return (value, frame, context) => matches(value, frame, context) && next(frame, context);
      }
      const slot = unit.temporary();
      const check = before.reduceRight<typeof next>(
        (following, step) => step(following),
        (frame, context) =>
          matches(frame[slot] as Parameters<typeof matches>[0], frame, context) && next(frame, context),
      );
      return (value, frame, context) => {
        frame[slot] = value;
        return check(frame, context);
      };
    };
  };
  if (source.kind === 'ref') iterateRef(unit, source, steps, makeFound);
  else if (source.kind === 'call') relationStep(unit, source, steps, makeFound);
  return true;
}

function evaluateAndMatch(unit: Unit, source: Term, pattern: Term, steps: Step[]): void {
  const evaluate = compileTerm(unit, source, steps);
  if (unit.isBound(pattern) && !isGenerator(unit, pattern)) {
    const other = compileTerm(unit, pattern, steps);
    steps.push((next) => (frame, context) => {
      const value = evaluate(frame, context);
      if (value === undefined) return false;
      const expected = other(frame, context);
      return expected !== undefined && equal(value, expected) && next(frame, context);
    });
    return;
  }
  const matches = compilePattern(unit, pattern, steps);
  steps.push((next) => (frame, context) => {
    const value = evaluate(frame, context);
    return value !== undefined && matches(value, frame, context) && next(frame, context);
  });
}
