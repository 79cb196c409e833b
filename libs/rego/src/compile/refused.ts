import type { Expr, Module, Term } from '../syntax/ast.js';
import type { CompileOptions } from './options.js';
import { dottedName } from './resolve.js';

/** Builtins whose answer depends on the world outside the evaluation. */
const OUTSIDE: ReadonlySet<string> = new Set(['http.send', 'opa.runtime', 'net.lookup_ip_addr']);

/** Why a builtin cannot be called; undefined where it can. A builtin that some `with` replaces may be called. */
export function refusalOf(name: string, options: CompileOptions, replaced: ReadonlySet<string>): string | undefined {
  if (!OUTSIDE.has(name) || replaced.has(name)) return undefined;
  if (options.builtins !== undefined && Object.hasOwn(options.builtins, name)) return undefined;
  if (name === 'opa.runtime' && options.runtime !== undefined) return undefined;
  return `${name} is refused: it reaches outside the evaluation`;
}

/** Names of the builtins that `with` replaces anywhere in the modules. */
export function replacedBuiltins(modules: readonly Module[]): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (expr: Expr): void => {
    for (const { target } of expr.with) {
      const name = dottedName(target);
      if (name !== undefined && OUTSIDE.has(name)) names.add(name);
    }
  };
  for (const module of modules) {
    for (const rule of module.rules) {
      for (const body of [rule.body, ...rule.elses.map((other) => other.body)]) {
        for (const expr of body ?? []) visitExprs(expr, note);
      }
    }
  }
  return names;
}

function visitExprs(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  if (expr.kind === 'every') for (const inner of expr.body) visitExprs(inner, visit);
  if (expr.kind === 'term') visitTermExprs(expr.term, visit);
}

function visitTermExprs(term: Term, visit: (expr: Expr) => void): void {
  if ('body' in term) for (const inner of term.body) visitExprs(inner, visit);
  if (term.kind === 'call') for (const arg of term.args) visitTermExprs(arg, visit);
  if (term.kind === 'array' || term.kind === 'set') for (const item of term.items) visitTermExprs(item, visit);
  if (term.kind === 'object') for (const entry of term.entries) for (const part of entry) visitTermExprs(part, visit);
  if (term.kind === 'template') for (const part of term.parts) if (typeof part !== 'string') visitExprs(part, visit);
}
