import type { Collector } from '../evaluate/context.js';
import type { RefTerm, Term, VarTerm } from '../syntax/ast.js';
import type { Value } from '../values/value.js';
import type { MakeFound, Step, Unit } from './unit.js';
import { isRootHead } from './vars.js';

/**
 * Moves iterations inside a term before it, because other parts of the term can use the variables that they bind.
 * Returns the term itself if it has no iterations.
 */
export function hoistIterations<T extends Term>(unit: Unit, term: T, steps: Step[]): T | VarTerm {
  if (unit.isBound(term)) return term;
  if (term.kind === 'ref') {
    const head = hoistIterations<Term>(unit, term.head, steps);
    return isRootHead(head) || unit.isBound(head) ? iteration(unit, { ...term, head }, steps) : term;
  }
  if (term.kind === 'call') {
    const args = hoistAll(unit, term.args, steps);
    return args === term.args ? term : { ...term, args };
  }
  if (term.kind === 'array' || term.kind === 'set') {
    const items = hoistAll(unit, term.items, steps);
    return items === term.items ? term : { ...term, items };
  }
  if (term.kind !== 'object') return term;
  const entries = term.entries.map((entry) => {
    const [key, value] = hoistAll(unit, entry, steps) as [Term, Term];
    return key === entry[0] && value === entry[1] ? entry : ([key, value] as const);
  });
  return entries.some((entry, at) => entry !== term.entries[at]) ? { ...term, entries } : term;
}

function hoistAll(unit: Unit, terms: readonly Term[], steps: Step[]): readonly Term[] {
  const hoisted = terms.map((term) => hoistIterations<Term>(unit, term, steps));
  return hoisted.some((term, at) => term !== terms[at]) ? hoisted : terms;
}

/** Adds the iteration over the values of a reference, and returns its variable. */
function iteration(unit: Unit, term: RefTerm, steps: Step[]): VarTerm {
  const name = `#each${unit.temporary()}`;
  const slot = unit.slot(name);
  const store: MakeFound = () => (next) => (value, frame: (Value | Collector | undefined)[], context) => {
    frame[slot] = value;
    return next(frame, context);
  };
  unit.env.generate.iterate(unit, term, steps, store);
  unit.bound.add(name);
  return { kind: 'var', name, loc: term.loc };
}
