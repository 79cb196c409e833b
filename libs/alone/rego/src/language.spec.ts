import { describe, expect, it } from '@jest/globals';
import { ruleValue } from './testing.js';
import type { EvaluateOptions } from './program.js';
import type { Json } from './values/convert.js';

type Row = readonly [name: string, rules: string, expected: Json | undefined, options?: EvaluateOptions];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'complete rules': [
    ['have the value true if none is given', 'p if 1 < 2', true],
    ['are undefined if no body is true', 'p if 1 > 2', undefined],
    ['can be false, which is not undefined', 'p := false', false],
    ['can have several rules with the same value', 'p := 1 if true\np := 1 if true', 1],
    ['have their default if no rule applies', 'default p := 7\np := 1 if false', 7],
    ['try else in order', 'p := 1 if false\nelse := 2 if true\nelse := 3', 2],
    ['can have a comprehension as the default', 'default p := [x | x := [1, 2][_]]\np := 0 if false', [1, 2]],
    ['can have a name with dots', 'p.a.b := 1\np.a.c := 2', { a: { b: 1, c: 2 } }],
    ['can have a comparison that begins with a set after if', 'p if {1} == {1}', true],
    ['can have a membership test that begins with a set after if', 'p if {1} in [{2}]', undefined],
    ['can have a value with variables of the body', 'p := [q, r] if { q := 1; r := 2 }', [1, 2]],
  ],
  'partial rules': [
    ['collect a set', 'p contains x if some x in [3, 1, 3]', [1, 3]],
    ['are empty, not undefined, without members', 'p contains x if { some x in []; x }', []],
    ['collect an object', 'p[k] := v if some k, v in {"a": 1, "b": 2}', { a: 1, b: 2 }],
    ['combine static and dynamic keys', 'p.a := 1\np[k] := 2 if k := "b"', { a: 1, b: 2 }],
    ['nest keys', 'p[x][y] := x + y if { some x in [1, 2]; some y in [10] }', { 1: { 10: 11 }, 2: { 10: 12 } }],
    ['nest sets', 'p[k] contains v if some k, v in ["x", "y"]', { 0: ['x'], 1: ['y'] }],
    ['have keys of any type', 'p[[1, x]] := x if x := "a"', { '[1, "a"]': 'a' }],
    ['can have null as a key', 'q[null] := 7\np := [k | q[k] == 7]', [null]],
    [
      'with variable keys contribute to a rule with a constant key',
      'p := q.a\nq.a contains 1\nq[x] contains 2 if x := "a"',
      [1, 2],
    ],
    [
      'can contradict each other at a key that is not read',
      'q[x] := y if some x, y in {"a": 1, "b": 3}\nq["a"] := 2\nq[x] := 2 if x := "a"\np := q.b',
      3,
    ],
    [
      'with variable keys hide base documents',
      'q[x] := 2 if x := "k"\np := data.t.q',
      { k: 2 },
      { data: { t: { q: { z: 4 } } } },
    ],
    ['give access to the members of a set', 'q contains x if some x in ["a", "b"]\np if q.a', true],
    ['are looked up by a bound key', 'q[k] := k if some k in ["a", "b"]\np := q[x] if x := "b"', 'b'],
  ],
  functions: [
    ['return a value for their arguments', 'f(x) := x * 2\np := f(21)', 42],
    ['match patterns', 'f([x, {"k": y}]) := x + y\np := f([1, {"k": 2}])', 3],
    ['match constants', 'f("a", x) := x\nf("b", x) := x + 1\np := [f("a", 1), f("b", 1)]', [1, 2]],
    ['are undefined if no rule matches', 'f(1) := 2\np := f(3)', undefined],
    ['have defaults', 'default f(_) := 0\nf(x) := 1 if x > 5\np := [f(1), f(9)]', [0, 1]],
    ['can have else', 'f(x) := "big" if x > 5\nelse := "small"\np := [f(9), f(1)]', ['big', 'small']],
    ['take an output argument', 'f(x) := x + 1\np := y if f(1, y)', 2],
    ['can compare their arguments', 'f(x, y) if x == y\np := [f(1, 1) | true]', [true]],
    ['can have a name with dots', 'a.f(x) := x\np := a.f(3)', 3],
    ['are called through data', 'f(x) := x\np := data.t.f(4)', 4],
  ],
  unification: [
    ['binds on either side', 'p := [x, y] if { 1 = x; y = 2 }', [1, 2]],
    ['binds variables inside arrays', 'p := [x, y] if { [x, 2] = [1, y] }', [1, 2]],
    ['binds variables inside objects', 'p := x if { {"a": [x]} = {"a": [5]} }', 5],
    ['fails for arrays of different length', 'p if { [x] = [1, 2]; x }', undefined],
    ['fails if a variable would have two values', 'p if [x, x] = [1, 2]', undefined],
    ['chains', 'p := x if { x = y; y = z; z = 3 }', 3],
    ['does not depend on the order of statements', 'p := x if { x = y + 1; y = 2 }', 3],
    ['waits for statements that bind the other side', 'p := w if { [x, y] = [1, z]; w = x; z = 2 }', 1],
    ['iterates over references', 'p := [i | [1, 2, 1][i] = 1]', [0, 2]],
    ['joins two references', 'p := [i | input.a[i] = input.b[i]]', [1], { input: { a: [1, 2], b: [3, 2] } }],
    ['distinguishes sets and arrays', 'p if [1] = {1}', undefined],
    ['iterates inside calls', 'p := [x | x := count(input[_])]', [1, 2], { input: [[1], [1, 2]] }],
    ['iterates inside nested calls', 'p := [x | x := 1 + count(input[_])]', [2, 3], { input: [[1], [1, 2]] }],
    ['iterates inside literals', 'p := [x | x := {"k": [input[_], 1]}]', [{ k: ['a', 1] }], { input: ['a'] }],
    [
      'binds the index for the other parts of the literal',
      'p := [x | x := [i, input[i]]]',
      [
        [0, 'a'],
        [1, 'b'],
      ],
      { input: ['a', 'b'] },
    ],
    ['iterates on the right side of a comparison', 'p if 3 = 1 + input[_]', true, { input: [1, 2] }],
    ['iterates inside calls within patterns', 'p := x if [x, 2] = [count(input[i]), i]', 3, { input: ['', '', 'abc'] }],
  ],
  iteration: [
    [
      'visits arrays with their indices',
      'p := [[i, x] | some i, x in ["a", "b"]]',
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    ['visits objects in the order of keys', 'p := [k | some k, _ in {"b": 1, "a": 2, "c": 3}]', ['a', 'b', 'c']],
    ['visits sets in order', 'p := [x | some x in {3, 1, 2}]', [1, 2, 3]],
    ['accepts patterns after some', 'p := [x | some [x, 2] in [[1, 2], [3, 4]]]', [1]],
    ['allows a declaration without a value', 'p := x if { some x; x = 1 }', 1],
    ['visits all combinations', 'p := count([1 | some x in [1, 2]; some y in [1, 2, 3]])', 6],
    ['gives every wildcard its own variable', 'p := count([1 | [1, 2][_] < [2, 3][_]])', 3],
    [
      'visits several levels',
      'p := [x | x := input.a[_].b[_]]',
      [1, 2, 3],
      { input: { a: [{ b: [1] }, { b: [2, 3] }] } },
    ],
    ['skips items without the member', 'p := [x | x := input.a[_].b]', [1], { input: { a: [{ b: 1 }, { c: 2 }] } }],
    [
      'visits the results of a call with an iterated argument',
      'p := [x | some x in split(input[_], ",")]',
      ['a', 'b', 'c'],
      { input: ['a,b', 'c'] },
    ],
    [
      'reads the results of a call inside a literal',
      'p := [x | x := [split(input[_], ",")[0]]]',
      [['a'], ['c']],
      { input: ['a,b', 'c'] },
    ],
    [
      'visits each value of a replacement',
      'q := input\np := [x | x := q with input as input[_]]',
      [1, 2],
      { input: [1, 2] },
    ],
    ['binds a key in a head for the value', 'p[i] := count(input[i])', { 0: 3, 1: 1 }, { input: ['a,b', 'c'] }],
    [
      'binds a key in the head of a comprehension for the value',
      'p := {i: count(input[i]) | true}',
      { 0: 3, 1: 1 },
      { input: ['a,b', 'c'] },
    ],
    [
      'binds an index in a literal of a head',
      'p contains [i, count(input[i])]',
      [
        [0, 3],
        [1, 1],
      ],
      { input: ['a,b', 'c'] },
    ],
    ['finds keys that equal their values', 'p := k if { some k; input[k] == k }', 1, { input: [5, 1, 0] }],
  ],
  every: [
    ['is true if the body is true for all items', 'p if every x in [1, 2] { x > 0 }', true],
    ['fails if the body fails for one item', 'p if every x in [1, 2] { x > 1 }', undefined],
    ['is true without items', 'p if every x in [] { false }', true],
    ['can bind keys', 'p if every k, v in {"a": "a"} { k == v }', true],
    ['can read variables of the enclosing body', 'p if { y := 1; every x in [2, 3] { x > y } }', true],
    ['is undefined for a value that is not a collection', 'p if every x in 5 { x }', undefined],
    ['waits for the variables of its body', 'p if { every x in [1] { x == z }; z = y; y = 1 }', true],
    ['nests', 'p if every x in [[1], [2]] { every y in x { y > 0 } }', true],
  ],
  negation: [
    ['is true for undefined', 'p if not input.x', true],
    ['is true for false', 'p if not false', true],
    ['fails for a defined value', 'p if not input.x', undefined, { input: { x: 1 } }],
    ['is true for a comparison with undefined', 'p if not input.x == 1', true],
    ['is undefined if an argument of a call is undefined', 'p if not startswith(input.x, "a")', undefined],
    ['can read bound variables', 'p := [x | some x in [1, 2, 3]; not x == 2]', [1, 3]],
    ['can refer to rules', 'p if not q\nq if 1 > 2', true],
    ['is undefined if an operand of the reference is undefined', 'p if not input.x[input.y]', undefined],
    ['is undefined if an operand of a compared reference is undefined', 'p if not input.x[input.y] == 1', undefined],
    ['is undefined if a part of a literal is undefined', 'p if not [input.x]', undefined],
    ['is undefined if the head of the reference is undefined', 'q(1) := {}\np if not q(2).x', undefined],
    ['is true for a missing member', 'q(1) := {}\np if not q(1).x', true],
    [
      'evaluates nested calls before the negation, with their iterations',
      'p if not count(input[_]) == 1',
      true,
      { input: [[1], [1, 2]] },
    ],
    ['does not move references out of comprehensions', 'p if not [1 | input.x] == [1]', true],
  ],
  comprehensions: [
    ['make arrays', 'p := [x * x | some x in [1, 2]]', [1, 4]],
    ['make sets', 'p := {x % 2 | some x in [1, 2, 3]}', [0, 1]],
    ['make objects', 'p := {k: v | some v, k in ["a", "b"]}', { a: 0, b: 1 }],
    ['can read variables of the enclosing body', 'p := [[x | x == y] | y := [1, 2][_]; x := 1]', [[1], []]],
    ['nest', 'p := {x: {y | some y in [x, x + 1]} | some x in [1]}', { 1: [1, 2] }],
    [
      'wait for the variables that they read, wherever these are bound',
      'p := d if { d = [b | b = a[_]]; a = s; s = input }',
      [1],
      { input: [1] },
    ],
    [
      'are evaluated before the statements that use them',
      'p := n if { d = [b | b = a[_]]; n = count(d); a = s; s = input }',
      1,
      { input: [1] },
    ],
    [
      'wait for variables inside a replacement',
      'q := input\np := w if { w = q with input as [m | m = k]; k = s; s = 2 }',
      [2],
    ],
    ['are empty without solutions', 'p := [x | some x in [1]; x > 1]', []],
    [
      'can group values by key',
      'p := {k: {v | [k, v] = input[_]} | [k, _] = input[_]}',
      { a: [1, 2], b: [3] },
      {
        input: [
          ['a', 1],
          ['b', 3],
          ['a', 2],
        ],
      },
    ],
  ],
  with: [
    ['replaces input', 'q := input.x\np := v if v := q with input.x as 5', 5],
    ['keeps the rest of input', 'q := input\np := v if v := q with input.y as 2', { x: 1, y: 2 }, { input: { x: 1 } }],
    ['replaces data', 'q := data.x.y\np := v if v := q with data.x.y as 5', 5],
    ['replaces rules', 'q := 1\np := [q, r] if r := q with q as 2', [1, 2]],
    ['replaces functions by functions', 'f(x) := x\ng(x) := x + 1\np := v if v := f(1) with f as g', 2],
    ['replaces functions by values', 'f(x) := x\np := v if v := f(1) with f as 9', 9],
    ['replaces builtins', 'p := v if v := count([]) with count as 3', 3],
    ['allows calls of unsupported builtins', 'p := v if v := http.send({}).x with http.send as {"x": 1}', 1],
    ['applies to its statement only', 'p := [x, input] if x := input with input as 1', [1, 2], { input: 2 }],
    ['nests', 'q := input\nr := v if v := q with input as 2\np := v if v := [r, q] with input as 1', [2, 1]],
  ],
  documents: [
    ['contain the base documents', 'p := data.t.base', 1, { data: { t: { base: 1 } } }],
    [
      'contain the value of a rule instead of a base document at the same path',
      'q := 1\np := data.t.q',
      1,
      { data: { t: { q: 2 } } },
    ],
    ['are visited in the order of keys', 'p := [k | some k, _ in data.x]', ['a', 'b'], { data: { x: { b: 1, a: 2 } } }],
    ['are undefined at a missing key', 'p := data.x.y.z', undefined, { data: { x: {} } }],
    ['accept a number as the key of a member', 'p := data.x[1]', 'v', { data: { x: { 1: 'v' } } }],
    ['accept a text as the index of an item', 'p := [data.x["1"], 2]', ['b', 2], { data: { x: ['a', 'b'] } }],
    [
      'list the keys of the base document first',
      'x.a := 1\np := [k | data.t.x[k]]',
      ['b', 'a'],
      { data: { t: { x: { b: 1 } } } },
    ],
    [
      'are undefined if the rule is undefined, even if the base document has a value',
      'q.k := 1 if input.x\np := [v | some k in ["k"]; v := data.t.q[k]]',
      [],
      { data: { t: { q: { k: 3 } } } },
    ],
    ['are undefined without input', 'p := input', undefined],
    ['can have null as input', 'p := input', null, { input: null }],
    ['can have false as input', 'p if input == false', true, { input: false }],
  ],
  strings: [
    ['can be raw', 'p := `a\\n`', 'a\\n'],
    ['can have escapes', 'p := "\\u0041\\t"', 'A\t'],
    ['can be templates', 'p := $"a{1 + 1}b{input.x}"', 'a2b<undefined>'],
    ['can be templates inside templates', 'p := $"{$"{1}"}"', '1'],
    ['can have escaped braces in templates', 'p := $"\\{x}"', '{x}'],
    ['contain the texts of values in templates', 'p := $"{[1, "a"]} {"a"}"', '[1, "a"] a'],
  ],
};

describe.each(Object.entries(TABLES))('%s', (_, rows) => {
  it.each(rows)('%s', (_name, rules, expected, options = {}) => {
    expect(ruleValue(rules, 'data.t.p', options)).toEqual(expected);
  });
});

describe('the older grammar', () => {
  it.each<Row>([
    ['has bodies without if', 'p { input.x == 1 }', true, { input: { x: 1 } }],
    ['has values before bodies', 'p = 5 { true }', 5],
    ['defines sets with brackets', 'p[x] { x := [1, 2][_] }', [1, 2]],
    ['defines objects with brackets', 'p[k] = v { [k, v] := ["a", 1] }', { a: 1 }],
    ['has several bodies', 'p { false } { true }', true],
    ['has functions', 'f(x) = y { y := x + 1 }\np = f(1) { true }', 2],
    ['has else', 'p = 1 { false } else = 2 { true }', 2],
  ])('%s', (_name, rules, expected, options = {}) => {
    expect(ruleValue(rules, 'data.t.p', options)).toEqual(expected);
  });

  it('is rejected if the module uses if', () => {
    expect(() => ruleValue('q if true\np { true }', 'data.t.p')).toThrow('rego_parse_error');
  });
});

describe('conflicts', () => {
  it.each([
    [
      'complete rules with two values',
      'p := 1 if true\np := 2 if true',
      'complete rules must not produce multiple outputs',
    ],
    ['one rule with two values', 'p := x if some x in [1, 2]', 'complete rules must not produce multiple outputs'],
    ['keys with two values', 'p[k] := v if { k := "a"; some v in [1, 2] }', 'object keys must be unique'],
    ['objects of comprehensions', 'p := {1: x | some x in [1, 2]}', 'object keys must be unique'],
    ['a key that is read', 'q[k] := v if { k := "a"; some v in [1, 2] }\np := q.a', 'object keys must be unique'],
    [
      'a path below a key',
      'q[k].x := v if { k := "a"; some v in [1, 2] }\np := [k | q[k].x]',
      'object keys must be unique',
    ],
    [
      'functions with two values',
      'f(_) := x if some x in [1, 2]\np := f(0)',
      'functions must not produce multiple outputs',
    ],
  ])('of %s end the evaluation', (_, rules, message) => {
    expect(() => ruleValue(rules, 'data.t.p')).toThrow(message);
  });
});
