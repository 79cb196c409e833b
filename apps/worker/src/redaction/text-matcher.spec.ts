import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TextMatcher, type Span } from './text-matcher.js';

/** Few characters, so that texts overlap and repeat themselves. */
const text = (minLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength: 12 });

function naiveOccurrences(text: string, other: string): Span[] {
  return [...other].flatMap((_character, start) =>
    other.startsWith(text, start) ? [{ start, end: start + text.length }] : [],
  );
}

function naivePartial(text: string, other: string): number {
  const lengths = Array.from({ length: text.length }, (_length, index) => index);
  return Math.max(0, ...lengths.filter((length) => other.endsWith(text.slice(0, length))));
}

describe('TextMatcher', () => {
  it('finds every occurrence, and the longest incomplete one at the end', () => {
    fc.assert(
      fc.property(text(1), text(0), (sought, other) => {
        const matcher = new TextMatcher(sought);
        expect(matcher.occurrencesIn(other)).toEqual(naiveOccurrences(sought, other));
        expect(matcher.partialAtEndOf(other)).toBe(naivePartial(sought, other));
      }),
    );
  });
});
