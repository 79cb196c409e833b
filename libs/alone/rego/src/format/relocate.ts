import { nodesOf } from '../compile/refused.js';
import type { Expr, Module, Term } from '../syntax/ast.js';
import { Lexer, type Token } from '../syntax/lexer.js';
import { format } from './format.js';

interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/**
 * Returns the module under another root: `data` becomes `data.<root>`, and its package is below this root as well.
 * Independent modules can thus share the single namespace of an evaluator. The result has the current grammar, whatever
 * the grammar of the module. The module must be relocatable. Throws `RegoCompileError` if it cannot be parsed.
 *
 * @param root names that are valid after a dot
 */
export function relocate(text: string, root: readonly string[]): string {
  const moved = format(text);
  const { tokens } = new Lexer(moved, '').run();
  // The first tokens are `package` and the first name of the path. Elsewhere, `package` is the name of a field.
  const [, name, ...rest] = tokens;
  const insertions = [...dataIn(rest, moved, `.${root.join('.')}`)];
  if (name !== undefined) insertions.push({ offset: name.offset, text: `${root.join('.')}.` });
  return insertions
    .sort((one, other) => other.offset - one.offset)
    .reduce((result, { offset, text: inserted }) => result.slice(0, offset) + inserted + result.slice(offset), moved);
}

/**
 * Returns whether `data` always means the document in the module. If it is also another name, its tokens cannot be
 * distinguished.
 */
export function isRelocatable(module: Module): boolean {
  if (module.imports.some(({ path, alias }) => path.length > 1 && (alias ?? path.at(-1)) === 'data')) return false;
  if (module.rules.some(({ name, args = [] }) => name.name === 'data' || args.some(namesData))) return false;
  for (const node of nodesOf(module)) if ('with' in node && declaredIn(node).some(namesData)) return false;
  return true;
}

function* dataIn(tokens: readonly Token[], text: string, root: string): Generator<Insertion> {
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'name' && token.text === 'data' && !isField(tokens[index - 1])) {
      yield { offset: token.end, text: root };
    }
    for (const part of token.parts) {
      if (typeof part === 'string') continue;
      const start = { row: 1, col: 1, offset: part.start, file: '' };
      yield* dataIn(new Lexer(text, '', start, part.end).run().tokens, text, root);
    }
  }
}

function isField(before: Token | undefined): boolean {
  return before?.kind === 'op' && before.text === '.';
}

/** Returns the patterns whose variables a statement declares. */
function declaredIn(expr: Expr): readonly (Term | undefined)[] {
  switch (expr.kind) {
    case 'some':
      return expr.vars;
    case 'somein':
    case 'every':
      return [expr.key, expr.value];
    default:
      return expr.term.kind === 'call' && expr.term.name === 'assign' ? expr.term.args.slice(0, 1) : [];
  }
}

function namesData(pattern: Term | undefined): boolean {
  if (pattern === undefined) return false;
  if (pattern.kind === 'var') return pattern.name === 'data';
  if (pattern.kind === 'array' || pattern.kind === 'set') return pattern.items.some(namesData);
  return pattern.kind === 'object' && pattern.entries.some((entry) => entry.some(namesData));
}
