import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { format } from './format/format.js';
import { fuzzPolicies, SEED_POLICIES } from './conformance/fuzz.js';
import { parseModule } from './syntax/parser.js';
import { compile } from './program.js';
import { valueOf } from './testing.js';
import { add, divide, multiply, subtract } from './values/arithmetic.js';
import { compare, equal } from './values/compare.js';
import { fromPlain, toPlain } from './values/convert.js';
import type { Json } from './values/convert.js';
import { fromBigInt, makeNumber, numberText, parseNumber, toBigInt } from './values/decimal.js';
import { parseJson } from './values/json.js';
import { jsonText, valueText } from './values/text.js';
import { encode, RegoObject, RegoSet } from './values/value.js';
import type { Value } from './values/value.js';

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.string({ maxLength: 6 }),
);
const plain = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const queryProgram = compile([]);
const small = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });

/** Values with sets and composite keys. */
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar.map((item) => fromPlain(item)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => new RegoSet(items)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((entries) => new RegoObject(entries)),
  ),
})).value;

describe('values', () => {
  it('are unchanged after conversion to plain data and back', () => {
    fc.assert(fc.property(plain, (item) => expect(JSON.stringify(toPlain(fromPlain(item)))).toBe(canonical(item))));
  });

  it('are equal if and only if they compare equal and have the same encoding', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(equal(a, b)).toBe(compare(a, b) === 0);
        expect(encode(a) === encode(b)).toBe(equal(a, b));
      }),
    );
  });

  it('have a total order', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(compare(a, b)).toBe(-compare(b, a) + 0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('can be read from their text', () => {
    fc.assert(
      fc.property(value, (item) => expect(valueText(toValue(`x = ${valueText(item)}`))).toBe(valueText(item))),
      { numRuns: 60 },
    );
  });

  it('can be read from JSON without losing digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: -30, max: 30 }), (coefficient, exponent) => {
        const number = makeNumber(coefficient, exponent);
        expect(equal(parseJson(jsonText(number)), number)).toBe(true);
        expect(equal(parseNumber(numberText(number)) ?? null, number)).toBe(true);
      }),
    );
  });
});

describe('arithmetic', () => {
  it('agrees with integers of any size', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        const [x, y] = [fromBigInt(a), fromBigInt(b)];
        expect(toBigInt(add(x, y))).toBe(a + b);
        expect(toBigInt(subtract(x, y))).toBe(a - b);
        expect(toBigInt(multiply(x, y))).toBe(a * b);
      }),
    );
  });

  it('reverses a multiplication with a division', () => {
    fc.assert(
      fc.property(
        fc.bigInt(),
        fc.bigInt().filter((b) => b !== 0n),
        (a, b) => {
          expect(equal(divide(fromBigInt(a * b), fromBigInt(b)), fromBigInt(a))).toBe(true);
        },
      ),
    );
  });
});

describe('sets', () => {
  const set = (items: readonly number[]): string => (items.length === 0 ? 'set()' : `{${items.join(', ')}}`);
  const law = (term: (a: string, b: string, c: string) => string): void =>
    fc.assert(
      fc.property(small, small, small, (a, b, c) => expect(valueOf(term(set(a), set(b), set(c)))).toBe(true)),
      { numRuns: 25 },
    );

  it('distribute intersection over union', () =>
    law((a, b, c) => `${a} & (${b} | ${c}) == (${a} & ${b}) | (${a} & ${c})`));
  it('follow De Morgan', () => law((a, b, c) => `${a} - (${b} | ${c}) == (${a} - ${b}) & (${a} - ${c})`));
  it('have a union and an intersection that together have as many members as both', () =>
    law((a, b) => `count(${a} | ${b}) + count(${a} & ${b}) == count(${a}) + count(${b})`));
  it('contain their members', () => law((a, b) => `count([x | some x in ${a}; not x in ${b}]) == count(${a} - ${b})`));
});

describe('unification', () => {
  it('matches a pattern if and only if the values match', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const result = valueOf('[[x, y] | [[x, y]] = [input]]', { input: [a, b] });
        expect(JSON.stringify(result)).toBe(`[[${canonical(a)},${canonical(b)}]]`);
      }),
      { numRuns: 40 },
    );
  });

  it('does not depend on the order of the sides', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const input = { a, b };
        expect(valueOf('[1 | {"k": [input.a]} = {"k": [input.b]}]', { input })).toEqual(
          valueOf('[1 | {"k": [input.b]} = {"k": [input.a]}]', { input }),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('requires the same value for a repeated variable', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const expected = equal(fromPlain(a), fromPlain(b)) ? [1] : [];
        expect(valueOf('[1 | [x, x] = input]', { input: [a, b] })).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

const name = fc.constantFrom('x', 'y', 'z', 'input.a', 'data.b[0]', 'f(x)');
const term: fc.Arbitrary<string> = fc.letrec<{ term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3 },
    name,
    fc.integer().map(String),
    fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text.replaceAll('\u007f', ''))),
    fc
      .tuple(tie('term'), fc.constantFrom('+', '-', '*', '/', '%', '|', '&', '==', '<', 'in'), tie('term'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    fc.array(tie('term'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(tie('term'), { minLength: 1, maxLength: 3 })
      .map((items) => `{${items.map((item) => `(${item})`).join(', ')}}`),
    fc
      .array(fc.tuple(tie('term'), tie('term')), { maxLength: 2 })
      .map((items) => `{${items.map(([k, v]) => `(${k}): (${v})`).join(', ')}}`),
    fc.tuple(tie('term'), tie('term')).map(([head, body]) => `[(${head}) | ${body}; not ${body}]`),
  ),
})).term;
const constant = fc.oneof(
  plain.map((v) => JSON.stringify(v)),
  term.map((v) => `[1 | ${v}]`),
);
const rule = fc.oneof(
  fc.tuple(term, term).map(([v, b]) => `p := ${v} if {\n\t${b} # note\n\n\tz := ${v}\n}`),
  fc.tuple(term, term).map(([v, b]) => `q contains ${v} if ${b}`.replace('if {', 'if 1 == {')),
  constant.map((v) => `default r := ${v}`),
  fc.tuple(term, term).map(([a, b]) => `f(x) := ${a} if every k, v in ${b} { k == v } else := ${b}`),
);

describe('the formatter', () => {
  const shape = (text: string): string =>
    JSON.stringify(parseModule(text), (key, item: unknown) =>
      ['loc', 'source', 'end', 'endRow', 'closeRow', 'comments', 'packageLoc'].includes(key)
        ? undefined
        : typeof item === 'bigint'
          ? String(item)
          : item,
    );

  it('keeps the meaning of a module, and does not change its own output', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const text = `# first\npackage a\n\n${rules.join('\n')}\n# last`;
        const formatted = format(text);
        expect(shape(formatted)).toBe(shape(text));
        expect(format(formatted)).toBe(formatted);
        expect(formatted.match(/#/g)?.length).toBe(text.match(/#/g)?.length);
      }),
      { numRuns: 150 },
    );
  });

  it('converts the older grammar to the newer one', () => {
    expect(format('package a\np[x]{x:=1}\nq=1{true}')).toBe(
      'package a\n\np contains x if {\n\tx := 1\n}\n\nq := 1 if {\n\ttrue\n}\n',
    );
  });
});

describe('mutated policies', () => {
  it('end with a result or a typed error', () => {
    const report = fuzzPolicies({ seeds: SEED_POLICIES, runs: 2000, seed: 42 });
    expect(report.crashes).toEqual([]);
    expect(report.evaluated).toBeGreaterThan(0);
  });
});

function toValue(query: string): Value {
  return parseQueryValue(query) ?? null;
}

function parseQueryValue(query: string): Value | undefined {
  return queryProgram.query(query).evaluateExact()[0]?.get('x');
}

function canonical(item: Json): string {
  return JSON.stringify(sortKeys(item));
}

function sortKeys(item: Json): Json {
  if (Array.isArray(item)) return item.map(sortKeys);
  if (item === null || typeof item !== 'object') return item === 0 ? 0 : item;
  const sorted = new RegoObject(Object.entries(item).map(([key, member]) => [key, fromPlain(member)] as const));
  return toPlain(sorted);
}
