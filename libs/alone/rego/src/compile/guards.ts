import type { Guard } from '../evaluate/context.js';
import type { Expr, Term } from '../syntax/ast.js';
import type { Value } from '../values/value.js';

/** Returns the first statement of the form `input.a.b == "x"` in a body, by which rules are indexed. */
export function guardOf(body: readonly Expr[]): Guard | undefined {
  for (const expr of body) {
    if (expr.kind !== 'term' || expr.negated || expr.with.length > 0) continue;
    const { term } = expr;
    if (term.kind !== 'call' || term.ref !== undefined || (term.name !== 'equal' && term.name !== 'eq')) continue;
    const [left, right] = term.args as [Term, Term];
    const guard = guardFrom(left, right) ?? guardFrom(right, left);
    if (guard !== undefined) return guard;
  }
  return undefined;
}

function guardFrom(ref: Term, constant: Term): Guard | undefined {
  if (ref.kind !== 'ref' || ref.head.kind !== 'var' || ref.head.name !== 'input' || ref.path.length === 0)
    return undefined;
  if (constant.kind !== 'value' || (typeof constant.value === 'object' && constant.value !== null)) return undefined;
  const path: string[] = [];
  for (const part of ref.path) {
    if (part.kind !== 'value' || typeof part.value !== 'string') return undefined;
    path.push(part.value);
  }
  const value: Value = constant.value;
  return { path, value };
}
