import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExactNumber, mapNumbers, parseExactJson } from './exact-json.js';
import { isJsonObject } from './json.js';

const LONG = '9007199254740993';

/** The texts of numbers, of any length and spelling, that are within the range of doubles or below it. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String)),
    fc.option(fc.stringMatching(/^\d{1,30}$/), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), fc.integer({ min: 0, max: 260 })), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    return `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : exponent.join('')}`;
  });

const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    numberText,
    fc.oneof(fc.string(), fc.string({ unit: 'binary' }), numberText).map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'null'),
    fc.array(tie('value')).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), numberText, fc.constant('__proto__')), tie('value')))
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
  ),
})).value;

/** The decimal value of the text of a number, independent of the code under test. */
function valueOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let coefficient = BigInt(whole + fraction);
  let power = Number(exponent) - fraction.length;
  while (coefficient !== 0n && coefficient % 10n === 0n) [coefficient, power] = [coefficient / 10n, power + 1];
  return coefficient === 0n ? '0' : `${text.startsWith('-') && coefficient > 0n ? '-' : ''}${coefficient}e${power}`;
}

/** The text with its numbers replaced by their values, as strings that no text contains. */
const valued = (text: string): unknown => JSON.parse(mapNumbers(text, (number) => `"number ${valueOf(number)}"`));

describe('JSON with exact numbers', () => {
  it('has the same values after it was parsed and written again', () => {
    fc.assert(
      fc.property(jsonText, (text) => expect(valued(JSON.stringify(parseExactJson(text)))).toEqual(valued(text))),
    );
  });

  it('is what JSON.parse returns if no number would change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(parseExactJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it.each([
    [LONG, LONG],
    ['-9007199254740993', '-9007199254740993'],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['9007199254740993.0', '9007199254740993.0'],
    ['12345678901234567890e-30', '12345678901234567890e-30'],
    ['1e-400', '1e-400'],
    ['4.9e-324', '4.9e-324'],
    ['5e-324', '5e-324'],
    ['1.23456789e-320', '1.23456789e-320'],
    ['9007199254740992', '9007199254740992'],
    ['1000000000000000000000', '1e+21'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['1.000000000000000000000', '1'],
    ['1e0000', '1'],
    ['0e999', '0'],
    ['-0', '0'],
  ])('keeps the value of %s', (text, written) => {
    for (const [before, after] of [
      ['', ''],
      ['[', ']'],
      ['{"a": ', '}'],
      ['[0,\n', ' ]'],
    ]) {
      const value = parseExactJson(`${before}${text}${after}`);
      expect(JSON.stringify(value)).toBe(`${before}${written}${after}`.replaceAll(/\s/g, ''));
    }
  });

  it('contains plain numbers wherever these have the same value', () => {
    expect(parseExactJson(`[${LONG}, 1.0, 1e3, 9007199254740992, "${LONG}", 0.30000000000000004]`)).toEqual([
      new ExactNumber(LONG),
      1,
      1000,
      9007199254740992,
      LONG,
      0.30000000000000004,
    ]);
  });

  it('reports the same errors as JSON.parse', () => {
    for (const text of [`[${LONG}`, `{"a":${LONG},}`, '01234567890123456789', `${LONG}${'['.repeat(5)}`, '']) {
      const messageOf = (parse: (json: string) => unknown): unknown => {
        try {
          return parse(text);
        } catch (error) {
          return String(error);
        }
      };
      expect(messageOf(parseExactJson)).toMatch(/^SyntaxError/);
      expect(messageOf(parseExactJson)).toBe(messageOf(JSON.parse));
    }
  });

  it('can nest deeply and have long numbers', () => {
    const deep = `${'['.repeat(100_000)}${LONG}${']'.repeat(100_000)}`;
    expect(parseExactJson(deep)).toHaveLength(1);
    const zeros = `1${'0'.repeat(500_000)}1`;
    expect(JSON.stringify(parseExactJson(`[${zeros}]`))).toBe(`[${zeros}]`);
  });
});

describe('an exact number', () => {
  const exact = new ExactNumber(LONG);

  it('is written by JSON.stringify wherever it is, also indented and beside a toJSON that writes JSON itself', () => {
    const nested = { toJSON: () => JSON.stringify({ inner: exact }) };
    expect(JSON.stringify({ nested, exact, list: [exact] })).toBe(
      `{"nested":"{\\"inner\\":${LONG}}","exact":${LONG},"list":[${LONG}]}`,
    );
    expect(JSON.stringify([exact], null, 1)).toBe(`[\n ${LONG}\n]`);
    expect(JSON.stringify(exact)).toBe(LONG);
    expect(JSON.stringify({ a: 1, b: exact }, ['b'])).toBe(`{"b":${LONG}}`);
  });

  it('is no object, has its text in templates, and counts as the nearest double', () => {
    expect(isJsonObject(exact)).toBe(false);
    expect(String(exact)).toBe(LONG);
    expect(Number(exact)).toBe(9007199254740992);
    expect(exact.toJSON()).toBe(9007199254740992);
  });

  it('has one canonical text for all spellings of a number', () => {
    for (const text of [LONG, `${LONG}.000`, '9.007199254740993e15', '0.9007199254740993E+16', `${LONG}000e-3`]) {
      expect(new ExactNumber(text).canonical).toBe('9007199254740993e0');
    }
    expect(new ExactNumber(`-${LONG}`).canonical).toBe('-9007199254740993e0');
  });
});
