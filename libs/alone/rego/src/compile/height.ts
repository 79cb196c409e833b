import type { Expr, Term } from '../syntax/ast.js';

/** Returns the maximum nesting depth of the terms and statements. */
export function heightOf(nodes: readonly (Term | Expr | undefined)[]): number {
  let height = 0;
  for (const node of nodes) if (node !== undefined) height = Math.max(height, below(node));
  return height;
}

function below(node: object): number {
  let height = 0;
  for (const part of Object.values(node) as unknown[]) {
    if (typeof part === 'object' && part !== null) height = Math.max(height, below(part));
  }
  return 'kind' in node ? height + 1 : height;
}
