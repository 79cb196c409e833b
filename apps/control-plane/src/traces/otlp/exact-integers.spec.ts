import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quoteLongIntegers } from './exact-integers.js';

describe('long integers in JSON', () => {
  it('become strings, and nothing else changes', () => {
    expect(quoteLongIntegers('{"a":1234567890123456,"b":[-12345678901234567890, 1]}')).toBe(
      '{"a":"1234567890123456","b":["-12345678901234567890", 1]}',
    );
    for (const other of [
      '[123456789012345]',
      '[1234567890123456.5]',
      '[0.1234567890123456789]',
      '[1e1234567890123456]',
      '[1234567890123456e2, 1E-1234567890123456]',
      '{"1234567890123456":"x,1234567890123456"}',
      String.raw`["\",1234567890123456","\\\\"]`,
    ]) {
      expect(quoteLongIntegers(other)).toBe(other);
    }
    expect(quoteLongIntegers(String.raw`["\\",1234567890123456]`)).toBe(String.raw`["\\","1234567890123456"]`);
  });

  it('do not change any other JSON', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.bigInt({ min: 10n ** 16n }), (json, integer) => {
        const quoted = JSON.parse(quoteLongIntegers(`[${json}, ${integer}]`)) as unknown[];
        const expected = JSON.parse(`[${json}, "${integer}"]`, (_key, value: unknown) =>
          typeof value === 'number' && Number.isInteger(value) && /^-?\d{16,}$/.test(String(value))
            ? String(value)
            : value,
        ) as unknown[];
        expect(quoted).toEqual(expected);
      }),
    );
  });

  it('are found after strings of any length', () => {
    for (const filling of ['x', '\\n', '\\\\', '\\"']) {
      const long = `["${filling.repeat(4_000_000)}",1234567890123456]`;
      expect(quoteLongIntegers(long).endsWith(',"1234567890123456"]')).toBe(true);
    }
  });
});
