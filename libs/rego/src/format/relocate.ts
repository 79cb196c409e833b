import { Lexer, type Token } from '../syntax/lexer.js';
import { format } from './format.js';

interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/**
 * The same module under another root: what it calls `data` is `data.<root>`, and its package is below that too. So
 * modules that know nothing of each other can live in one evaluator's only namespace. In the current grammar, whatever
 * the given one was. Throws `RegoCompileError` where the module cannot be read.
 * @param root Names as they may stand after a dot.
 */
export function relocate(text: string, root: readonly string[]): string {
  const moved = format(text);
  const insertions = [...insertionsIn(new Lexer(moved, '').run().tokens, moved, root.join('.'))];
  return insertions
    .sort((one, other) => other.offset - one.offset)
    .reduce((result, { offset, text: inserted }) => result.slice(0, offset) + inserted + result.slice(offset), moved);
}

function* insertionsIn(tokens: readonly Token[], text: string, root: string): Generator<Insertion> {
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (isName(before, 'package')) yield { offset: token.offset, text: `${root}.` };
    else if (isName(token, 'data') && !isField(before)) yield { offset: token.end, text: `.${root}` };
    for (const part of token.parts) {
      if (typeof part === 'string') continue;
      const start = { row: 1, col: 1, offset: part.start, file: '' };
      yield* insertionsIn(new Lexer(text, '', start, part.end).run().tokens, text, root);
    }
  }
}

function isName(token: Token | undefined, name: string): boolean {
  return token?.kind === 'name' && token.text === name;
}

function isField(before: Token | undefined): boolean {
  return before?.kind === 'op' && before.text === '.';
}
