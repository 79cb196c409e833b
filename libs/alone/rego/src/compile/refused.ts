import type { Expr, Module, Term } from '../syntax/ast.js';
import type { CompileOptions } from './options.js';
import { dottedName } from './resolve.js';

/** Builtins whose result depends on something outside the evaluation. */
const OUTSIDE: ReadonlySet<string> = new Set(['http.send', 'opa.runtime', 'net.lookup_ip_addr']);

/** Returns why a builtin cannot be called; undefined if it can. A builtin that a `with` replaces can be called. */
export function refusalOf(name: string, options: CompileOptions, replaced: ReadonlySet<string>): string | undefined {
  if (!OUTSIDE.has(name) || replaced.has(name)) return undefined;
  if (options.builtins !== undefined && Object.hasOwn(options.builtins, name)) return undefined;
  if (name === 'opa.runtime' && options.runtime !== undefined) return undefined;
  return `${name} is refused: it reaches outside the evaluation`;
}

/**
 * Returns the names of the builtins in `OUTSIDE` that `with` replaces anywhere in the modules. A builtin that is itself
 * used as a replacement counts as not replaced.
 */
export function replacedBuiltins(modules: readonly Module[]): ReadonlySet<string> {
  const names = new Set<string>();
  const replacements = new Set<string>();
  for (const module of modules) {
    for (const node of nodesOf(module)) {
      for (const { target, value } of 'with' in node ? node.with : []) {
        names.add(dottedName(target) ?? '');
        replacements.add(dottedName(value) ?? '');
      }
    }
  }
  return new Set([...names].filter((name) => OUTSIDE.has(name) && !replacements.has(name)));
}

/**
 * Returns every dotted name in a module that could be that of a builtin: called, replaced, used as a replacement, or
 * only read.
 */
export function namesIn(module: Module): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodesOf(module)) {
    const name = node.kind === 'call' ? node.name : node.kind === 'var' || node.kind === 'ref' ? dottedName(node) : '';
    if (name !== undefined && name !== '') names.add(name);
  }
  return names;
}

/** Yields all statements and terms of a module, at any depth and in any order. */
export function* nodesOf({ rules }: Module): Generator<Expr | Term> {
  const waiting: (Expr | Term)[] = [];
  const wait = (nodes: readonly (Expr | Term | undefined)[]): void => {
    for (const node of nodes) if (node !== undefined) waiting.push(node);
  };
  for (const rule of rules) {
    wait([...rule.path, ...(rule.args ?? []), rule.member]);
    for (const { value, body } of [rule, ...rule.elses]) wait([value, ...(body ?? [])]);
  }
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    if ('with' in node) {
      for (const { target, value } of node.with) wait([target, value]);
      wait(partsOfExpr(node));
    } else wait(partsOfTerm(node));
  }
}

function partsOfExpr(expr: Expr): readonly (Expr | Term | undefined)[] {
  switch (expr.kind) {
    case 'term':
      return [expr.term];
    case 'some':
      return expr.vars;
    case 'somein':
      return [expr.key, expr.value, expr.domain];
    default:
      return [expr.key, expr.value, expr.domain, ...expr.body];
  }
}

function partsOfTerm(term: Term): readonly (Expr | Term | undefined)[] {
  switch (term.kind) {
    case 'value':
    case 'var':
      return [];
    case 'ref':
      return [term.head, ...term.path];
    case 'array':
    case 'set':
      return term.items;
    case 'object':
      return term.entries.flat();
    case 'call':
      return [term.ref, ...term.args];
    case 'template':
      return term.parts.filter((part) => typeof part !== 'string');
    case 'objectcomp':
      return [term.key, term.value, ...term.body];
    default:
      return [term.term, ...term.body];
  }
}
