import { RegoCompileError } from '../errors.js';
import type { Exec } from '../evaluate/context.js';
import type { Expr, Term } from '../syntax/ast.js';
import type { SyntaxFault } from '../syntax/fault.js';
import { call } from '../syntax/terms.js';
import type { Value } from '../values/value.js';
import { compileBody } from './bodies.js';
import type { CompiledProgram } from './program.js';
import { heightOf } from './height.js';
import { Resolver } from './resolve.js';
import { Unit } from './unit.js';
import type { Environment, Step } from './unit.js';

export type Bindings = ReadonlyMap<string, Value>;
export type OnSolution = (bindings: Bindings) => void;

export interface CompiledQuery {
  /** The stack that a run needs, in bytes, without that of the rules it reads. */
  readonly stack: number;
  /** Creates a run that reports every solution. */
  start(onSolution: OnSolution): { readonly exec: Exec; readonly slots: number };
}

/** The variable with the value of a query that consists of one term. */
export const RESULT = '#value';

/** Returns the term of a query that consists of one term and therefore has a value. */
function singleTerm(query: readonly Expr[]): Term | undefined {
  const [expr, more] = query;
  if (expr === undefined || more !== undefined || expr.kind !== 'term' || expr.negated) return undefined;
  const { term } = expr;
  return term.kind === 'call' && (term.name === 'eq' || term.name === 'assign') && term.ref === undefined
    ? undefined
    : term;
}

/** Returns the query that binds the value of the term to `RESULT`. */
export function valueQuery(query: readonly Expr[]): readonly Expr[] | undefined {
  const term = singleTerm(query);
  const expr = query[0];
  if (term === undefined || expr?.kind !== 'term') return undefined;
  return [{ ...expr, term: call('eq', [{ kind: 'var', name: RESULT, loc: term.loc }, term], term.loc) }];
}

/** Compiles a query against a program. Throws `RegoCompileError`. */
export function compileQuery(program: CompiledProgram, query: readonly Expr[]): CompiledQuery {
  const faults: SyntaxFault[] = [];
  const env: Environment = { ...program.env, faults, safety: program.env.safety.reportingTo(faults) };
  const resolver = new Resolver(new Map(), faults, program.isBuiltin);
  const { body, result: names } = resolver.body(query, () => resolver.visibleNames());
  if (faults.length > 0) throw new RegoCompileError(faults.map((fault) => fault.toFault()));
  const unit = new Unit(env);
  const steps: Step[] = [];
  compileBody(unit, unit.order(body), steps);
  const outputs = names
    .filter(({ name, unique }) => !name.startsWith('$') && unit.bound.has(unique))
    .map(({ name, unique }) => ({ name, slot: unit.slot(unique) }));
  if (faults.length > 0) throw new RegoCompileError(faults.map((fault) => fault.toFault()));
  return {
    stack: unit.stack(heightOf(body) + steps.length),
    start(onSolution) {
      const exec = unit.plan(steps, (frame, context) => {
        const bindings = new Map<string, Value>();
        for (const { name, slot } of outputs) bindings.set(name, frame[slot] as Value);
        context.run.meter.allocate(128);
        onSolution(bindings);
        return false;
      });
      return { exec, slots: unit.size };
    },
  };
}
