import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseWithBigInts, stringifyWithBigInts } from './exact-numbers.js';

describe('JSON with bigints', () => {
  it('keeps every integer, and parses everything else as JSON.parse does', () => {
    const integers = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    const number = fc.double({ min: -1e15, max: 1e15, noNaN: true });
    const others = fc.object({ values: [fc.string(), fc.boolean(), fc.constant(null), fc.integer(), number] });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), integers), others, fc.boolean(), (exact, other, isIndented) => {
        const text = stringifyWithBigInts({ exact, other }, isIndented ? 2 : undefined);
        const parsed = parseWithBigInts(text) as { exact: object; other: unknown };
        const expected = Object.entries(exact).map(([key, value]) => {
          const nearest = Number(value);
          return [key, Number.isSafeInteger(nearest) ? nearest : value];
        });
        expect(Object.entries(parsed.exact)).toEqual(expected);
        expect(parsed.other).toEqual((JSON.parse(text) as { other: unknown }).other);
      }),
    );
  });

  it('has no text for what JSON does not have, as JSON.stringify', () => {
    expect(stringifyWithBigInts(undefined)).toBeUndefined();
    expect(stringifyWithBigInts({ a: undefined })).toBe('{}');
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['[9007199254740991, 9007199254740992]', [9007199254740991, 9007199254740992n]],
    ['{"a":"at 9007199254740993, \\"9007199254740993"}', { a: 'at 9007199254740993, "9007199254740993' }],
    ['[1764227000000000000.5, 12345678901234567890e-1]', [1764227000000000000, 1234567890123456800]],
  ])('parses %s', (text, value) => {
    expect(parseWithBigInts(text)).toEqual(value);
  });
});
