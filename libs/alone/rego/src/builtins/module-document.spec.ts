import { describe, expect, it } from '@jest/globals';
import type { Json } from '../values/convert.js';
import { valueOf } from '../testing.js';

const parsed = (text: string, member: string): unknown =>
  valueOf(`rego.parse_module("m.rego", input)${member}`, { input: text });

const v = (name: string): Json => ({ type: 'var', value: name });
const s = (text: string): Json => ({ type: 'string', value: text });
const n = (value: number): Json => ({ type: 'number', value });
const ref = (...parts: Json[]): Json => ({ type: 'ref', value: parts });
const TRUE = { type: 'boolean', value: true };
const ALWAYS = [{ index: 0, terms: TRUE }];

describe('rego.parse_module', () => {
  it('returns package, imports, comments and rules', () => {
    expect(parsed('package a.b\n\nimport data.x.y as z\n\np := 1 # one\n', '')).toEqual({
      package: { path: [v('data'), s('a'), s('b')] },
      imports: [{ path: ref(v('data'), s('x'), s('y')), alias: 'z' }],
      rules: [{ head: { name: 'p', ref: [v('p')], value: n(1), assign: true }, body: ALWAYS }],
      comments: [{ Text: Buffer.from(' one').toString('base64'), Location: { file: 'm.rego', row: 5, col: 8 } }],
    });
  });

  it.each<readonly [string, Json]>([
    ['default p := 1', { default: true, head: { name: 'p', ref: [v('p')], value: n(1), assign: true }, body: ALWAYS }],
    ['p.q if true', { head: { ref: [v('p'), s('q')], value: TRUE }, body: ALWAYS }],
    [
      'p contains x if x := 1',
      {
        head: { name: 'p', ref: [v('p')], key: v('x') },
        body: [{ index: 0, terms: [ref(v('assign')), v('x'), n(1)] }],
      },
    ],
    [
      'f(x) := x if x > 1 else := 0',
      {
        head: { name: 'f', ref: [v('f')], args: [v('x')], value: v('x'), assign: true },
        body: [{ index: 0, terms: [ref(v('gt')), v('x'), n(1)] }],
        else: { head: { name: 'f', ref: [v('f')], args: [v('x')], value: n(0), assign: true }, body: ALWAYS },
      },
    ],
  ])('returns the rule %s', (rule, expected) => {
    expect(parsed(`package p\n\n${rule}\n`, '.rules[0]')).toEqual(expected);
  });

  it.each<readonly [string, Json]>([
    ['not input.x', { index: 0, negated: true, terms: ref(v('input'), s('x')) }],
    ['some x', { index: 0, terms: { symbols: [v('x')] } }],
    [
      'some x in [1]',
      {
        index: 0,
        terms: {
          symbols: [
            {
              type: 'call',
              value: [ref(v('internal'), s('member_2')), v('x'), { type: 'array', value: [n(1)] }],
            },
          ],
        },
      },
    ],
    [
      'every x in {1} { x }',
      {
        index: 0,
        terms: {
          key: null,
          value: v('x'),
          domain: { type: 'set', value: [n(1)] },
          body: [{ index: 0, terms: v('x') }],
        },
      },
    ],
    [
      'io.jwt.decode("x") with input as {"a": null}',
      {
        index: 0,
        terms: [ref(v('io'), s('jwt'), s('decode')), s('x')],
        with: [
          { target: ref(v('input')), value: { type: 'object', value: [[s('a'), { type: 'null', value: null }]] } },
        ],
      },
    ],
    [
      '[y | y := 1]',
      {
        index: 0,
        terms: {
          type: 'arraycomprehension',
          value: { term: v('y'), body: [{ index: 0, terms: [ref(v('assign')), v('y'), n(1)] }] },
        },
      },
    ],
  ])('returns the statement %s', (statement, expected) => {
    expect(parsed(`package p\n\nq if {\n\t${statement}\n}\n`, '.rules[0].body[0]')).toEqual(expected);
  });

  it('is undefined for a text that is not a module', () => {
    expect(parsed('p := 1', '')).toBeUndefined();
    expect(parsed(`package p\n#${'x'.repeat(70_000)}`, '')).toBeUndefined();
  });
});
