import { describe, expect, it } from '@jest/globals';
import { CompiledCache } from './cache.js';
import { RegoBudgetError, RegoEvaluationError, RegoInputError } from './errors.js';
import { parseJson } from './values/json.js';
import { compile } from './program.js';
import type { Program } from './program.js';
import { jsonText } from './values/text.js';

const source = (text: string): Program => compile([{ name: 'p.rego', text }]);

describe('a program', () => {
  it('names its packages and their rules', () => {
    const program = compile([
      { name: 'a.rego', text: 'package app.authz\n\nallow if true\n\ndeny contains "x" if false\n\nf(x) := x' },
      { name: 'b.rego', text: 'package app.authz\n\nallow if false\n\na.b := 1' },
      { name: 'c.rego', text: 'package other' },
    ]);
    expect(program.packages()).toEqual(['app.authz', 'other']);
    expect(program.rules('app.authz')).toEqual(['allow', 'deny', 'a']);
    expect(program.rules('other')).toEqual([]);
  });

  it('distinguishes false, undefined and other values', () => {
    const program = source('package a\n\np := false\n\nq if 1 > 2\n\nr := {"x": [1]}');
    expect(program.query('data.a.p').value()).toBe(false);
    expect(program.query('data.a.q').value()).toBeUndefined();
    expect(program.query('data.a.r').value()).toEqual({ x: [1] });
    expect(program.query('data.a.p').evaluate()).toEqual([]);
  });

  it('binds the variables of a query, one object per solution', () => {
    expect(source('package a').query('some i, x in ["a", "b"]; y := [i, x]').evaluate()).toEqual([
      { i: 0, x: 'a', y: [0, 'a'] },
      { i: 1, x: 'b', y: [1, 'b'] },
    ]);
  });

  it('can be evaluated repeatedly with different input', () => {
    const query = source('package a\n\np contains x if some x in input').query('data.a.p');
    expect(query.value({ input: [2, 1] })).toEqual([1, 2]);
    expect(query.value({ input: [3] })).toEqual([3]);
  });

  it('is deterministic for the same time and seed', () => {
    const query = source('package a\n\np := [time.now_ns(), uuid.rfc4122("a"), rand.intn("a", 1000)]').query(
      'data.a.p',
    );
    expect(query.value({ now: 5n })).toEqual(query.value({ now: 5n }));
    expect(query.value({ now: 5n, seed: 'a' })).not.toEqual(query.value({ now: 5n, seed: 'b' }));
    expect(query.value({ now: 5n })).not.toEqual(query.value({ now: 6n }));
  });

  it('keeps numbers exact if exact values are requested', () => {
    const value = source('package a\n\np := 123456789012345678901234567890 + 0.5').query('data.a.p').valueExact();
    expect(value === undefined ? '' : jsonText(value)).toBe('123456789012345678901234567890.5');
  });

  it('accepts big integers as input', () => {
    expect(
      source('package a\n\np if input == 12345678901234567890')
        .query('data.a.p')
        .value({ input: 12345678901234567890n }),
    ).toBe(true);
  });

  it('treats errors of builtins as undefined, or fails in strict mode', () => {
    const query = source('package a\n\np := 1 / 0').query('data.a.p');
    expect(query.value()).toBeUndefined();
    expect(() => query.value({ strict: true })).toThrow(RegoEvaluationError);
    expect(() => query.value({ strict: true })).toThrow('div: divide by zero');
  });

  it('names the budget that was exceeded', () => {
    const query = source('package a\n\np := [x | some x in numbers.range(1, 100000)]').query('data.a.p');
    const kinds = [{ steps: 1000 }, { memory: 1000 }].map((budget) => {
      try {
        query.value({ budget });
        return undefined;
      } catch (error) {
        return error instanceof RegoBudgetError ? error.kind : error;
      }
    });
    expect(kinds).toEqual(['steps', 'memory']);
  });

  it('rejects input that is not JSON', () => {
    const query = source('package a\n\np := input').query('data.a.p');
    expect(() => query.value({ input: { x: Number.NaN } })).toThrow(RegoInputError);
    expect(() => query.value({ input: (() => 1) as never })).toThrow(RegoInputError);
    expect(() => parseJson('{"x": }')).toThrow(RegoInputError);
  });

  it('accepts builtins of the host', () => {
    const program = compile([{ name: 'a', text: 'package a\n\np := twice(21)' }], {
      builtins: { twice: { arity: 1, call: ([x]) => Number(x) * 2 } },
    });
    expect(program.query('data.a.p').value()).toBe(42);
  });

  it('returns the value of the host for opa.runtime', () => {
    const program = compile([{ name: 'a', text: 'package a\n\np := opa.runtime().x' }], { runtime: { x: 1 } });
    expect(program.query('data.a.p').value()).toBe(1);
  });

  it('passes the lines of print to the host', () => {
    const lines: string[] = [];
    source('package a\n\np if print("x", 1, input.missing)')
      .query('data.a.p')
      .value({ print: (line) => lines.push(line) });
    expect(lines).toEqual(['x 1 <undefined>']);
  });

  it('returns the metadata of rules', () => {
    const text =
      '# METADATA\n# title: P\npackage a\n\n# METADATA\n# title: R\np := rego.metadata.rule().title\n\nq := [x.annotations.title | some x in rego.metadata.chain()]';
    expect(source(text).query('data.a').value()).toEqual({ p: 'R', q: ['P'] });
  });

  it('evaluates rules with the same guard only if the guard matches', () => {
    const rules = Array.from({ length: 50 }, (_, at) => `r contains ${at} if input.kind == "k${at}"`).join('\n');
    const query = source(`package a\n\n${rules}\n\nr contains "any"`).query('data.a.r');
    expect(query.value({ input: { kind: 'k7' } })).toEqual([7, 'any']);
    expect(query.value({ input: {} })).toEqual(['any']);
  });
});

describe('the cache of compiled programs', () => {
  it('compiles once per key and evicts the oldest program', () => {
    const cache = new CompiledCache(2);
    let made = 0;
    const make = (): Program => {
      made++;
      return source('package a');
    };
    const first = cache.get('a', make);
    expect(cache.get('a', make)).toBe(first);
    cache.get('b', make);
    cache.get('c', make);
    expect(cache.size).toBe(2);
    expect(cache.get('a', make)).not.toBe(first);
    expect(made).toBe(4);
  });

  it('caches errors of compilation', () => {
    const cache = new CompiledCache(2);
    let made = 0;
    const make = (): Program => {
      made++;
      return source('package');
    };
    expect(() => cache.get('a', make)).toThrow('rego_parse_error');
    expect(() => cache.get('a', make)).toThrow('rego_parse_error');
    expect(made).toBe(1);
  });
});
