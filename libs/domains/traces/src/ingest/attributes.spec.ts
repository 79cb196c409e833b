import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attributesText, type AttributeValue } from './attributes.js';

const values = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
  ),
})).value;

/** What `JSON.parse` returns for a value: integers as the nearest number. */
function parsed(value: AttributeValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, parsed(inner)]));
  return (value as readonly AttributeValue[]).map(parsed);
}

describe('the text of attributes', () => {
  it('is JSON with the same values', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(attributesText(new Map([['key', value]])))).toEqual({ key: parsed(value) });
      }),
    );
  });

  it('contains all digits of integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        expect(attributesText(new Map([['n', integer]]))).toBe(`{"n":${integer}}`);
      }),
    );
  });

  it('has a key that objects inherit as an ordinary key', () => {
    expect(attributesText(new Map([['__proto__', 'x']]))).toBe('{"__proto__":"x"}');
  });
});
