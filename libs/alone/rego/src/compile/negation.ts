import type { Expr, Term, TermExpr } from '../syntax/ast.js';
import { call } from '../syntax/terms.js';

/**
 * Returns the statements that replace a negated one. Before the negation, they evaluate the calls inside the term and
 * the heads of references that are not names. Iteration therefore binds the variables in these calls and heads. If a
 * call or head has no value, the whole statement is undefined instead of true.
 */
export function expandNegated(expr: TermExpr, fresh: () => string): readonly Expr[] {
  const before: Expr[] = [];
  const { loc } = expr;
  const name = (value: Term): Term => {
    const variable: Term = { kind: 'var', name: fresh(), loc };
    before.push({ kind: 'term', term: call('eq', [variable, value], loc), negated: false, with: expr.with, loc });
    return variable;
  };
  const expand = (term: Term): Term => {
    switch (term.kind) {
      case 'call':
        return name({ ...term, args: term.args.map(expand) });
      case 'ref': {
        const head = expand(term.head);
        return { ...term, head: head.kind === 'var' ? head : name(head), path: term.path.map(expand) };
      }
      case 'array':
      case 'set':
        return { ...term, items: term.items.map(expand) };
      case 'object':
        return { ...term, entries: term.entries.map(([key, value]) => [expand(key), expand(value)] as const) };
      default:
        return term;
    }
  };
  const { term } = expr;
  const negated = term.kind === 'call' ? { ...term, args: term.args.map(expand) } : expand(term);
  return [...before, { ...expr, term: negated }];
}
