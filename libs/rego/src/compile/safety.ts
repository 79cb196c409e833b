import type { Expr, Term } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import { patternVars } from './resolve.js';
import { exprVars, isRootHead, termVars, visitRefs, writtenName } from './vars.js';

/** Number of arguments of a call, without the optional output; undefined for unknown functions. */
export type ArityOf = (term: Extract<Term, { kind: 'call' }>) => number | undefined;

/**
 * Orders statements so that each reads only variables that something before it binds, keeping the written order where it
 * can. Faults name the variables for which no order exists.
 */
export class SafetyChecker {
  constructor(
    private readonly arityOf: ArityOf,
    private readonly faults: SyntaxFault[],
  ) {}

  reportingTo(faults: SyntaxFault[]): SafetyChecker {
    return new SafetyChecker(this.arityOf, faults);
  }

  /** `bound` are the variables known from outside. */
  order(body: readonly Expr[], bound: ReadonlySet<string>): readonly Expr[] {
    const closed = this.orderForClosures(body, bound);
    if (closed === undefined) return body;
    const safe = new Set(bound);
    const pending = closed.map((expr) => ({ expr, needs: exprVars(expr, new Set()) }));
    const ordered: Expr[] = [];
    for (let progress = true; progress && pending.length > 0;) {
      progress = false;
      for (let at = 0; at < pending.length;) {
        const { expr, needs } = pending[at] as (typeof pending)[number];
        for (const name of this.outputs(expr, safe)) safe.add(name);
        if ([...needs].every((name) => safe.has(name))) {
          ordered.push(expr);
          pending.splice(at, 1);
          progress = true;
        } else at++;
      }
    }
    if (pending.length > 0) {
      this.report(pending.map(({ expr, needs }) => ({ expr, unsafe: [...needs].filter((name) => !safe.has(name)) })));
      return body;
    }
    return ordered;
  }

  /** A statement with a closure comes after what binds the variables it shares with the rest of the body. */
  private orderForClosures(body: readonly Expr[], bound: ReadonlySet<string>): readonly Expr[] | undefined {
    const closures = body.map((expr) => exprVars(expr, new Set(), 'only'));
    if (closures.every((names) => names.size === 0)) return body;
    const bodyVars = new Set<string>();
    for (const expr of body) exprVars(expr, bodyVars);
    const safe = new Set(bound);
    const pending = body.map((expr, at) => ({
      expr,
      needs: [...(closures[at] ?? [])].filter((name) => bodyVars.has(name) && !bound.has(name)),
    }));
    const ordered: Expr[] = [];
    for (let progress = true; progress && pending.length > 0;) {
      progress = false;
      for (let at = 0; at < pending.length;) {
        const { expr, needs } = pending[at] as (typeof pending)[number];
        if (needs.every((name) => safe.has(name))) {
          ordered.push(expr);
          pending.splice(at, 1);
          progress = true;
          this.bindAll(ordered, safe);
        } else at++;
      }
    }
    if (pending.length === 0) return ordered;
    this.report(pending.map(({ expr, needs }) => ({ expr, unsafe: needs.filter((name) => !safe.has(name)) })));
    return undefined;
  }

  /** Adds to `safe` what the statements bind, whatever their order. */
  private bindAll(statements: readonly Expr[], safe: Set<string>): void {
    for (let size = -1; size !== safe.size;) {
      size = safe.size;
      for (const expr of statements) for (const name of this.outputs(expr, safe)) safe.add(name);
    }
  }

  private report(unsafe: readonly { expr: Expr; unsafe: readonly string[] }[]): void {
    const seen = new Set<string>();
    for (const { expr, unsafe: names } of unsafe) {
      for (const name of names) {
        if (seen.has(name)) continue;
        seen.add(name);
        this.faults.push(new SyntaxFault(`var ${writtenName(name)} is unsafe`, expr.loc, 'rego_unsafe_var_error'));
      }
    }
  }

  /** Variables that `expr` binds once those in `safe` are bound. */
  outputs(expr: Expr, safe: ReadonlySet<string>): Set<string> {
    const out = new Set<string>();
    if (expr.kind === 'term' && expr.negated) return out;
    for (const modifier of expr.with) {
      for (const name of termVars(modifier.value, new Set())) if (!safe.has(name)) return out;
    }
    if (expr.kind === 'every') {
      this.refOutputs(expr.domain, safe, out);
      return out;
    }
    if (expr.kind !== 'term') return out;
    this.refOutputs(expr.term, safe, out);
    const { term } = expr;
    if (term.kind !== 'call') return out;
    const known = new Set([...safe, ...out]);
    if (term.name === 'eq' && term.ref === undefined && term.args.length === 2) {
      const before = new Set(known);
      this.unify(term.args[0] as Term, term.args[1] as Term, known);
      for (const name of known) if (!before.has(name)) out.add(name);
      return out;
    }
    this.callOutputs(term, known, out);
    return out;
  }

  private callOutputs(term: Extract<Term, { kind: 'call' }>, known: ReadonlySet<string>, out: Set<string>): void {
    const arity = this.arityOf(term);
    const output = arity === undefined ? undefined : term.args[arity];
    if (arity === undefined || output === undefined) return;
    for (const arg of term.args.slice(0, arity)) {
      for (const name of termVars(arg, new Set())) if (!known.has(name)) return;
    }
    for (const name of patternVars(output, new Set())) if (!known.has(name)) out.add(name);
  }

  /** Operands of references whose head is known are bound by iteration. */
  private refOutputs(term: Term, safe: ReadonlySet<string>, out: Set<string>): void {
    visitRefs(term, (ref) => {
      if (!isRootHead(ref.head)) {
        for (const name of termVars(ref.head, new Set())) if (!safe.has(name) && !out.has(name)) return;
      }
      for (const part of ref.path) {
        for (const name of patternVars(part, new Set())) if (!safe.has(name)) out.add(name);
      }
    });
  }

  /** Adds to `known` what `a = b` binds. */
  private unify(a: Term, b: Term, known: Set<string>): void {
    const pairs: [Term, Term][] = [[a, b]];
    for (let at = 0; at < pairs.length; at++) {
      const [x, y] = pairs[at] as [Term, Term];
      if (x.kind === 'array' && y.kind === 'array' && x.items.length === y.items.length) {
        x.items.forEach((item, index) => pairs.push([item, y.items[index] as Term]));
      } else if (x.kind === 'object' && y.kind === 'object') {
        for (const [left, right] of matchingEntries(x, y)) pairs.push([left, right]);
      }
    }
    for (let size = -1; size !== known.size;) {
      size = known.size;
      for (const [x, y] of pairs) {
        if (allKnown(y, known)) bindPattern(x, known);
        if (allKnown(x, known)) bindPattern(y, known);
      }
    }
  }
}

function allKnown(term: Term, known: ReadonlySet<string>): boolean {
  for (const name of termVars(term, new Set())) if (!known.has(name)) return false;
  return true;
}

function bindPattern(term: Term, known: Set<string>): void {
  if (term.kind === 'set') return;
  for (const name of patternVars(term, new Set())) known.add(name);
}

/** Pairs of values of two object literals with the same constant keys. */
function matchingEntries(
  x: Extract<Term, { kind: 'object' }>,
  y: Extract<Term, { kind: 'object' }>,
): readonly (readonly [Term, Term])[] {
  const pairs: [Term, Term][] = [];
  for (const [key, value] of x.entries) {
    if (key.kind !== 'value') continue;
    const other = y.entries.find(([candidate]) => candidate.kind === 'value' && candidate.value === key.value);
    if (other !== undefined) pairs.push([value, other[1]]);
  }
  return pairs;
}
