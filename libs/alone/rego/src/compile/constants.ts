import type { CallTerm, Term } from '../syntax/ast.js';
import { RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import type { Unit } from './unit.js';

/** Returns the value of a term if it is the same in every evaluation. */
export function constantOf(term: Term): Value | undefined {
  switch (term.kind) {
    case 'value':
      return term.value;
    case 'array':
    case 'set': {
      const items: Value[] = [];
      for (const item of term.items) {
        const value = constantOf(item);
        if (value === undefined) return undefined;
        items.push(value);
      }
      return term.kind === 'array' ? items : new RegoSet(items);
    }
    case 'object': {
      const entries: [Value, Value][] = [];
      for (const [key, value] of term.entries) {
        const pair = [constantOf(key), constantOf(value)];
        if (pair[0] === undefined || pair[1] === undefined) return undefined;
        entries.push([pair[0], pair[1]]);
      }
      return new RegoObject(entries);
    }
    case 'template':
      return term.parts.every((part) => typeof part === 'string') ? term.parts.join('') : undefined;
    default:
      return undefined;
  }
}

/** Returns whether the term can have several values: a reference with free variables, or a relation. */
export function isGenerator(unit: Unit, term: Term): boolean {
  if (term.kind === 'ref') return !unit.isBound(term);
  return term.kind === 'call' && isRelation(unit, term);
}

function isRelation(unit: Unit, term: CallTerm): boolean {
  return term.ref?.kind !== 'ref' && unit.env.builtin(term.name)?.relation !== undefined;
}
