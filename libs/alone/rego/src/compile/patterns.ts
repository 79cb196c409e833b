import type { Collector, Matcher } from '../evaluate/context.js';
import type { ObjectTerm, Term } from '../syntax/ast.js';
import { equal } from '../values/compare.js';
import { isArray, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { constantOf, isGenerator } from './constants.js';
import { compileTerm } from './terms.js';
import type { Step, Unit } from './unit.js';

/** Compiles a term to a matcher, which binds free variables and compares everything else. */
export function compilePattern(unit: Unit, term: Term, steps: Step[]): Matcher {
  if (term.kind === 'var' && !unit.bound.has(term.name)) {
    const slot = unit.slot(term.name);
    unit.bound.add(term.name);
    return (value, frame: (Value | Collector | undefined)[]) => {
      frame[slot] = value;
      return true;
    };
  }
  const constant = constantOf(term);
  if (constant !== undefined) return (value) => equal(value, constant);
  if (!unit.isBound(term)) {
    if (term.kind === 'array') return arrayPattern(term.items.map((item) => compilePattern(unit, item, steps)));
    if (term.kind === 'object') return objectPattern(unit, term, steps);
    if (!isGenerator(unit, term)) {
      unit.unknownTerm('term cannot be matched before its variables are known', term.loc);
      return () => false;
    }
  }
  const evaluate = compileTerm(unit, term, steps);
  return (value, frame, context) => {
    const known = evaluate(frame, context);
    return known !== undefined && equal(value, known);
  };
}

function arrayPattern(items: readonly Matcher[]): Matcher {
  return (value, frame, context) => {
    if (!isArray(value) || value.length !== items.length) return false;
    for (let at = 0; at < items.length; at++) {
      if (!(items[at] as Matcher)(value[at] as Value, frame, context)) return false;
    }
    return true;
  };
}

function objectPattern(unit: Unit, term: ObjectTerm, steps: Step[]): Matcher {
  const entries = term.entries.map(([key, value]) => {
    const evaluateKey = compileTerm(unit, key, steps);
    return { key: evaluateKey, matches: compilePattern(unit, value, steps) };
  });
  return (value, frame, context) => {
    if (!(value instanceof RegoObject) || value.size !== entries.length) return false;
    for (const { key, matches } of entries) {
      const name = key(frame, context);
      const member = name === undefined ? undefined : value.get(name);
      if (member === undefined || !matches(member, frame, context)) return false;
    }
    return true;
  };
}
