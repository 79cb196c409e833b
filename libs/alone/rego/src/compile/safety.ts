import type { Expr, Term } from '../syntax/ast.js';
import { SyntaxFault } from '../syntax/fault.js';
import { addImplied, KnownNames, type Implication } from './known.js';
import { patternVars } from './resolve.js';
import { exprVars, isRootHead, termVars, visitRefs, writtenName } from './vars.js';

/** Number of arguments of a call, without the optional output; undefined for unknown functions. */
export type ArityOf = (term: Extract<Term, { kind: 'call' }>) => number | undefined;

/**
 * Orders statements so that each one reads only variables that earlier statements bind. Keeps the written order if
 * possible. Faults name the variables for which no order exists.
 */
export class SafetyChecker {
  constructor(
    private readonly arityOf: ArityOf,
    private readonly faults: SyntaxFault[],
  ) {}

  reportingTo(faults: SyntaxFault[]): SafetyChecker {
    return new SafetyChecker(this.arityOf, faults);
  }

  /** `bound`: variables that are bound outside the body. */
  order(body: readonly Expr[], bound: ReadonlySet<string>): readonly Expr[] {
    const safe = new KnownNames(bound);
    const outputs = ({ expr }: Statement): ReadonlySet<string> => this.outputs(expr, safe.names);
    const { ordered, left } = inOrder(statementsOf(body, bound), safe, outputs);
    if (left.length === 0) return ordered;
    this.report(
      left.map((statement) => {
        const own = outputs(statement);
        const isUnsafe = (name: string): boolean => !safe.has(name) && (!own.has(name) || statement.shared.has(name));
        return { expr: statement.expr, unsafe: [...statement.needs].filter(isUnsafe) };
      }),
    );
    return body;
  }

  private report(unsafe: readonly { expr: Expr; unsafe: readonly string[] }[]): void {
    const seen = new Set<string>();
    for (const { expr, unsafe: names } of unsafe) {
      for (const name of names) {
        if (seen.has(name)) continue;
        seen.add(name);
        this.faults.push(new SyntaxFault(unsafeMessage(name), expr.loc, 'rego_unsafe_var_error'));
      }
    }
  }

  /** Returns the variables that `expr` binds once those in `safe` are bound. */
  outputs(expr: Expr, safe: ReadonlySet<string>): Set<string> {
    const out = new Set<string>();
    for (const { value } of expr.with) this.refOutputs(value, safe, out);
    if (expr.kind === 'term' && expr.negated) return out;
    for (const { value } of expr.with) {
      for (const name of termVars(value, new Set())) if (!safe.has(name) && !out.has(name)) return out;
    }
    if (expr.kind === 'every') {
      this.refOutputs(expr.domain, safe, out);
      return out;
    }
    if (expr.kind !== 'term') return out;
    this.refOutputs(expr.term, safe, out);
    const { term } = expr;
    if (term.kind !== 'call') return out;
    if (term.name === 'eq' && term.ref === undefined && term.args.length === 2) {
      addImplied(bindings(term.args[0] as Term, term.args[1] as Term), safe, out);
      return out;
    }
    this.callOutputs(term, safe, out);
    return out;
  }

  private callOutputs(term: Extract<Term, { kind: 'call' }>, safe: ReadonlySet<string>, out: Set<string>): void {
    const arity = this.arityOf(term);
    const output = arity === undefined ? undefined : term.args[arity];
    if (arity === undefined || output === undefined) return;
    for (const arg of term.args.slice(0, arity)) {
      for (const name of termVars(arg, new Set())) if (!safe.has(name) && !out.has(name)) return;
    }
    for (const name of patternVars(output, new Set())) if (!safe.has(name)) out.add(name);
  }

  /** Collects the operands of references that iteration binds, because the heads of the references are known. */
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
}

export function unsafeMessage(name: string): string {
  return `var ${writtenName(name)} is unsafe`;
}

interface Statement {
  readonly expr: Expr;
  readonly needs: ReadonlySet<string>;
  /** The variables of its closures that other statements must bind before. */
  readonly shared: ReadonlySet<string>;
}

function statementsOf(body: readonly Expr[], bound: ReadonlySet<string>): readonly Statement[] {
  const bodyVars = new Set<string>();
  for (const expr of body) exprVars(expr, bodyVars);
  return body.map((expr) => {
    const closed = [...exprVars(expr, new Set(), 'only')];
    const shared = new Set(closed.filter((name) => bodyVars.has(name) && !bound.has(name)));
    return { expr, needs: new Set([...exprVars(expr, new Set()), ...shared]), shared };
  });
}

/**
 * Selects statements whose variables are known, or bound by the statement itself, repeatedly from the first to the
 * last, until no further one can be selected. A statement is checked again only when a name in it becomes known.
 */
function inOrder(
  statements: readonly Statement[],
  safe: KnownNames,
  outputs: (statement: Statement) => ReadonlySet<string>,
): { readonly ordered: readonly Expr[]; readonly left: readonly Statement[] } {
  const ordered: Expr[] = [];
  let pending = statements.map((statement) => {
    const item = { statement, missing: 0, missingShared: 0, changed: true };
    item.missing = safe.await(statement.needs, () => {
      item.missing--;
      item.changed = true;
    });
    item.missingShared = safe.await(statement.shared, () => void item.missingShared--);
    return item;
  });
  for (let before = -1; before !== pending.length;) {
    before = pending.length;
    pending = pending.filter((item) => {
      if (!item.changed || item.missingShared > 0) return true;
      item.changed = false;
      const own = outputs(item.statement);
      if (item.missing > own.size) return true;
      ordered.push(item.statement.expr);
      for (const name of own) safe.add(name);
      return false;
    });
  }
  return { ordered, left: pending.map(({ statement }) => statement) };
}

/** Returns what `a = b` binds: each side once the other is known; for arrays and objects part by part. */
function bindings(a: Term, b: Term): Implication[] {
  const pairs: [Term, Term][] = [[a, b]];
  for (let at = 0; at < pairs.length; at++) {
    const [x, y] = pairs[at] as [Term, Term];
    if (x.kind === 'array' && y.kind === 'array' && x.items.length === y.items.length) {
      x.items.forEach((item, index) => pairs.push([item, y.items[index] as Term]));
    } else if (x.kind === 'object' && y.kind === 'object') {
      for (const pair of matchingEntries(x, y)) pairs.push([...pair]);
    }
  }
  return pairs.flatMap(([x, y]) => [binding(y, x), binding(x, y)]);
}

function binding(known: Term, bound: Term): Implication {
  return {
    needs: termVars(known, new Set()),
    gives: bound.kind === 'set' ? [] : patternVars(bound, new Set()),
  };
}

/** Returns the pairs of values of two object literals with the same constant keys. */
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
