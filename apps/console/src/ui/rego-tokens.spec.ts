import { describe, expect, it } from '@jest/globals';
import { StringStream } from '@codemirror/language';
import fc from 'fast-check';
import { regoTokens } from './rego-tokens';

/** Returns the tokens of a text that have a style, line by line. */
function tokensOf(text: string): [string, string][] {
  const state = regoTokens.startState?.(2) ?? { isRaw: false };
  return text.split('\n').flatMap((line) => {
    const stream = new StringStream(line, 2, 2);
    const tokens: [string, string][] = [];
    while (!stream.eol()) {
      const before = stream.pos;
      const style = regoTokens.token(stream, state);
      if (stream.pos === before) throw new Error(`No progress at ${before} of ${line}`);
      if (style !== null) tokens.push([style, stream.current()]);
      stream.start = stream.pos;
    }
    return tokens;
  });
}

describe('the tokens of Rego', () => {
  it('are keywords, functions, values and comments', () => {
    expect(tokensOf('allow if startswith(input.name, "a\\"b") == true # 1')).toEqual([
      ['keyword', 'if'],
      ['variableName.function', 'startswith'],
      ['variableName.special', 'input'],
      ['string', '"a\\"b"'],
      ['operator', '=='],
      ['atom', 'true'],
      ['comment', '# 1'],
    ]);
    expect(tokensOf('x := 1.5e3')).toEqual([
      ['operator', ':='],
      ['number', '1.5e3'],
    ]);
  });

  it('include raw strings of several lines', () => {
    expect(tokensOf('a := `one\n# two` if b')).toEqual([
      ['operator', ':='],
      ['string', '`one'],
      ['string', '# two`'],
      ['keyword', 'if'],
    ]);
  });

  it('are found in every text', () => {
    const pieces = fc.constantFrom('`', '"', '#', '\\', 'if', ' ', '\n', '1', '.', 'ä', '{', ':=');
    fc.assert(fc.property(fc.array(pieces), (parts) => tokensOf(parts.join('')).length >= 0));
  });
});
