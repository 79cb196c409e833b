import type { Expr, RefTerm, Term } from '../syntax/ast.js';

export type Closures = 'skip' | 'only' | 'include';

const ROOTS = new Set(['data', 'input']);

export function isRootHead(term: Term): boolean {
  return term.kind === 'var' && ROOTS.has(term.name);
}

/**
 * Collects the names of the variables in a term. With `skip`, omits those in comprehensions; with `only`, collects only
 * those in comprehensions and parts of templates.
 */
export function termVars(term: Term, out: Set<string>, closures: Closures = 'skip', inside = false): Set<string> {
  const counts = closures !== 'only' || inside;
  switch (term.kind) {
    case 'var':
      if (counts && !ROOTS.has(term.name)) out.add(term.name);
      break;
    case 'ref':
      termVars(term.head, out, closures, inside);
      for (const part of term.path) termVars(part, out, closures, inside);
      break;
    case 'array':
    case 'set':
      for (const item of term.items) termVars(item, out, closures, inside);
      break;
    case 'object':
      for (const [key, value] of term.entries) {
        termVars(key, out, closures, inside);
        termVars(value, out, closures, inside);
      }
      break;
    case 'call':
      for (const arg of term.args) termVars(arg, out, closures, inside);
      break;
    default:
      closureVars(term, out, closures);
  }
  return out;
}

function closureVars(term: Term, out: Set<string>, closures: Closures): void {
  if (closures === 'skip' && term.kind !== 'template') return;
  if (term.kind === 'template') {
    for (const part of term.parts) if (typeof part !== 'string') exprVars(part, out, closures, true);
  } else if (term.kind === 'objectcomp') {
    for (const head of [term.key, term.value]) termVars(head, out, closures, true);
  } else if (term.kind === 'arraycomp' || term.kind === 'setcomp') {
    termVars(term.term, out, closures, true);
  }
  if ('body' in term) for (const expr of term.body) exprVars(expr, out, closures, true);
}

export function exprVars(expr: Expr, out: Set<string>, closures: Closures = 'skip', inside = false): Set<string> {
  if (expr.kind === 'term') termVars(expr.term, out, closures, inside);
  if (expr.kind === 'every') {
    termVars(expr.domain, out, closures, inside);
    if (closures !== 'skip') {
      for (const name of [expr.key, expr.value]) if (name !== undefined) out.add(name.name);
      for (const inner of expr.body) exprVars(inner, out, closures, true);
    }
  }
  for (const modifier of expr.with) {
    termVars(modifier.value, out, closures, inside);
    if (modifier.target.kind === 'ref') for (const part of modifier.target.path) termVars(part, out, closures, inside);
  }
  return out;
}

/** Calls `visit` for every reference of a term outside its closures, the innermost first. */
export function visitRefs(term: Term, visit: (ref: RefTerm) => void): void {
  switch (term.kind) {
    case 'ref':
      visitRefs(term.head, visit);
      for (const part of term.path) visitRefs(part, visit);
      visit(term);
      break;
    case 'array':
    case 'set':
      for (const item of term.items) visitRefs(item, visit);
      break;
    case 'object':
      for (const [key, value] of term.entries) {
        visitRefs(key, visit);
        visitRefs(value, visit);
      }
      break;
    case 'call':
      for (const arg of term.args) visitRefs(arg, visit);
      break;
    default:
  }
}

/** Returns a name as it was written. */
export function writtenName(name: string): string {
  if (name.startsWith('$')) return '_';
  const mark = name.indexOf('#');
  return mark < 0 ? name : name.slice(0, mark);
}
