import { describe, expect, it } from '@jest/globals';
import { RegoCompileError } from '../errors.js';
import { compile } from '../program.js';
import { parseModule } from '../syntax/parser.js';
import { namesIn } from './refused.js';

const faultsOf = (rules: string, options: Parameters<typeof compile>[1] = {}): string[] => {
  try {
    compile([{ name: 'm', text: `package p\n\n${rules}` }], options);
    return [];
  } catch (error) {
    return (error as RegoCompileError).faults.map(({ code, message }) => `${code} ${message.split(' ')[0]}`);
  }
};

describe('an unsupported builtin', () => {
  it.each([
    ['of itself', 'a if count({}) == 0 with http.send as http.send', 'http.send'],
    ['of another function', 'a if f(1) with f as http.send\n\nf(x) := x', 'http.send'],
    ['of a builtin', 'a := x if x := time.now_ns() with time.now_ns as opa.runtime', 'opa.runtime'],
    [
      'of another function, although it is replaced itself elsewhere',
      'a if f(1) with f as net.lookup_ip_addr\n\nf(x) := x\n\nb if true with net.lookup_ip_addr as {}',
      'net.lookup_ip_addr',
    ],
    [
      'of itself, inside a comprehension',
      'a := {x | x := 1 with http.send as http.send}\n\nb if http.send({})',
      'http.send',
    ],
  ])('cannot be used as a replacement %s', (_what, rules, name) => {
    expect(faultsOf(rules)).toContain(`rego_refused_builtin ${name}`);
  });

  it('can be used as a replacement if the host provides its value', () => {
    const rules = 'a := x if x := time.now_ns() with time.now_ns as opa.runtime';
    expect(faultsOf(rules, { runtime: { env: {} } })).toEqual([]);
  });

  it('can be called if it is replaced, wherever the modifier is', () => {
    expect(faultsOf('a if http.send({}).x with http.send as {"x": true}')).toEqual([]);
    expect(faultsOf('a if some x in [y | y := http.send({}) with http.send as {}]')).toEqual([]);
  });
});

describe('the names that a module mentions', () => {
  const NAME = 'http.send({})';
  it.each([
    `a := ${NAME}`,
    `a[${NAME}] := 1`,
    `a contains ${NAME}`,
    `a := 1 if ${NAME} == 1`,
    `a := 1 if false else := ${NAME}`,
    `a := 1 if false else := 2 if ${NAME} == 1`,
    `default a := {x | x := ${NAME}}`,
    `a if not ${NAME}`,
    `a if ${NAME}.status_code == 200`,
    `a := {1: [{${NAME}}]}`,
    `a := {${NAME}: 1}`,
    `a := [${NAME} | true]`,
    `a := {${NAME} | true}`,
    `a := {"k": ${NAME} | true}`,
    `a := {1 | ${NAME}}`,
    `a := $"at {${NAME}}"`,
    'a := $`at {http.send({})}`',
    `a if every x in ${NAME} { x }`,
    `a if every x in [1] { x == ${NAME} }`,
    `a if some x in ${NAME}`,
    `a if some ${NAME}, x in [1]`,
    `a if some x, [${NAME}] in [1]`,
    `a := count(count(${NAME}))`,
    `a := input[${NAME}].x`,
    `a if input.x with input.x as ${NAME}`,
    'a if input.x with http.send as {}',
    'a if f(1) with f as http.send',
    'a := http["send"]({})',
    'a if f(1) with f as http["send"]',
    'a { http.send({}) }',
    'a[x] { x := http.send({}) }',
  ])('include all names: %s', (rules) => {
    expect(namesIn(parseModule(`package p\n\n${rules}`))).toContain('http.send');
  });

  it('do not include words in texts and comments', () => {
    const names = namesIn(
      parseModule('package p\n\n# http.send({})\na := "http.send({})"\n\nb := $"http.send {input.x}"'),
    );
    expect(names).not.toContain('http.send');
    expect(names).toContain('input.x');
  });
});
