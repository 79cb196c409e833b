import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shellWord } from './shell-word';

describe('a word of a command', () => {
  it('is what it was, if a shell acts on nothing in it', () => {
    expect(shellWord('ada-1')).toBe('ada-1');
  });

  it.each(['', 'two words', `it's`, '$(id)', '`id`', 'a;b', 'a\nb', '~', '*', '#', '"'])(
    'reaches the command as one word: %j',
    (text) => {
      const printed = execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8' });
      expect(printed).toBe(`<${text}>`);
    },
  );

  it('has a quotation mark around all that is not plain', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const word = shellWord(text);
        expect(/^[\w.@%+=:,/-]+$/.test(word) || /^'(?:[^']|'\\'')*'$/.test(word)).toBe(true);
      }),
    );
  });
});
