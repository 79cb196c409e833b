import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from './regex-size.js';

/** Returns the number of compiled instructions; undefined if the pattern is rejected. */
function compiledSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

describe('patternSize', () => {
  it.each([
    ['a{1000}', 1000],
    ['a{2,1000}', 1000],
    ['a{1000,}', 1000],
    ['(?:ab){500}', 1000],
    ['((a{10}){10}){10}', 1000],
    ['a{1000}'.repeat(1000), 1_000_000],
  ])('counts repetitions: %#', (pattern, least) => {
    expect(patternSize(pattern)).toBeGreaterThanOrEqual(least);
    expect(patternSize(pattern)).toBeLessThan(least * 4);
  });

  it.each(['\\x{1000}', '[a{1000}]', '\\{1000}', '\\Qa{1000}\\E', 'a{,1000}', 'a{1000', '[]a{1000}]', '[^]a{1000}]'])(
    'does not count text that only looks like a repetition: %s',
    (pattern) => {
      expect(patternSize(pattern)).toBeLessThan(40);
    },
  );

  it.each(['((a{1,1000}){1,1000}){1,1000}', '(a{100}){100}'])('is 0 for a rejected repetition: %s', (pattern) => {
    expect(compiledSize(pattern)).toBeUndefined();
    expect(patternSize(pattern)).toBe(0);
  });

  it('is at least the number of instructions', () => {
    const atom = fc.constantFrom(
      'a',
      'é',
      '.',
      '\\d',
      '\\pL',
      '[a-z]',
      '[^]]',
      '\\x{41}',
      '^',
      '\\b',
      '\\Qa{3}\\E',
      '(?i)',
    );
    const pattern = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([first, second]) => first + second),
        fc.tuple(tie('node'), tie('node')).map(([first, second]) => `(${first}|${second})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{3}', '{0,7}', '{2,}', '{0}', '{20}?'))
          .map(([inner, repetition]) => `(?:${inner})${repetition}`),
        fc.tuple(tie('node'), fc.constantFrom('(?P<n>', '(?s:', '(')).map(([inner, open]) => `${open}${inner})`),
      ),
    })).node;
    fc.assert(
      fc.property(pattern, (text) => {
        const size = compiledSize(text);
        if (size !== undefined) expect(patternSize(text)).toBeGreaterThanOrEqual(size);
      }),
      { numRuns: 500 },
    );
  });
});
