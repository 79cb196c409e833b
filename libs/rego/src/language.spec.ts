import { describe, expect, it } from '@jest/globals';
import { ruleValue } from './testing.js';
import type { EvaluateOptions } from './program.js';
import type { Json } from './values/convert.js';

type Row = readonly [name: string, rules: string, expected: Json | undefined, options?: EvaluateOptions];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'complete rules': [
    ['have true for a value where none is given', 'p if 1 < 2', true],
    ['are undefined where no body holds', 'p if 1 > 2', undefined],
    ['keep false apart from undefined', 'p := false', false],
    ['may agree', 'p := 1 if true\np := 1 if true', 1],
    ['fall back to their default', 'default p := 7\np := 1 if false', 7],
    ['try else in order', 'p := 1 if false\nelse := 2 if true\nelse := 3', 2],
    ['may have comprehensions for a default', 'default p := [x | x := [1, 2][_]]\np := 0 if false', [1, 2]],
    ['can have a name with dots', 'p.a.b := 1\np.a.c := 2', { a: { b: 1, c: 2 } }],
    ['may compare a set of one member after if', 'p if {1} == {1}', true],
    ['may look for a set of one member after if', 'p if {1} in [{2}]', undefined],
    ['do not repeat bodies that were found undefined', 'p := [q, r] if { q := 1; r := 2 }', [1, 2]],
  ],
  'partial rules': [
    ['collect a set', 'p contains x if some x in [3, 1, 3]', [1, 3]],
    ['are empty rather than undefined', 'p contains x if { some x in []; x }', []],
    ['collect an object', 'p[k] := v if some k, v in {"a": 1, "b": 2}', { a: 1, b: 2 }],
    ['join static and dynamic keys', 'p.a := 1\np[k] := 2 if k := "b"', { a: 1, b: 2 }],
    ['nest keys', 'p[x][y] := x + y if { some x in [1, 2]; some y in [10] }', { 1: { 10: 11 }, 2: { 10: 12 } }],
    ['nest sets', 'p[k] contains v if some k, v in ["x", "y"]', { 0: ['x'], 1: ['y'] }],
    ['have keys of any type', 'p[[1, x]] := x if x := "a"', { '[1, "a"]': 'a' }],
    ['may have null for a key', 'q[null] := 7\np := [k | q[k] == 7]', [null]],
    [
      'of variable places are part of places that are asked for above them',
      'p := q.a\nq.a contains 1\nq[x] contains 2 if x := "a"',
      [1, 2],
    ],
    [
      'contradict each other only where that is read',
      'q[x] := y if some x, y in {"a": 1, "b": 3}\nq["a"] := 2\nq[x] := 2 if x := "a"\np := q.b',
      3,
    ],
    [
      'of variable places hide base documents',
      'q[x] := 2 if x := "k"\np := data.t.q',
      { k: 2 },
      { data: { t: { q: { z: 4 } } } },
    ],
    ['read members of a set', 'q contains x if some x in ["a", "b"]\np if q.a', true],
    ['are looked up by a bound key', 'q[k] := k if some k in ["a", "b"]\np := q[x] if x := "b"', 'b'],
  ],
  functions: [
    ['answer by arguments', 'f(x) := x * 2\np := f(21)', 42],
    ['match patterns', 'f([x, {"k": y}]) := x + y\np := f([1, {"k": 2}])', 3],
    ['match constants', 'f("a", x) := x\nf("b", x) := x + 1\np := [f("a", 1), f("b", 1)]', [1, 2]],
    ['are undefined where no rule fits', 'f(1) := 2\np := f(3)', undefined],
    ['have defaults', 'default f(_) := 0\nf(x) := 1 if x > 5\np := [f(1), f(9)]', [0, 1]],
    ['have else', 'f(x) := "big" if x > 5\nelse := "small"\np := [f(9), f(1)]', ['big', 'small']],
    ['take an output argument', 'f(x) := x + 1\np := y if f(1, y)', 2],
    ['bind equal arguments once', 'f(x, y) if x == y\np := [f(1, 1) | true]', [true]],
    ['can have a name with dots', 'a.f(x) := x\np := a.f(3)', 3],
    ['are called through data', 'f(x) := x\np := data.t.f(4)', 4],
  ],
  unification: [
    ['binds on either side', 'p := [x, y] if { 1 = x; y = 2 }', [1, 2]],
    ['goes into arrays', 'p := [x, y] if { [x, 2] = [1, y] }', [1, 2]],
    ['goes into objects', 'p := x if { {"a": [x]} = {"a": [5]} }', 5],
    ['needs equal shapes', 'p if { [x] = [1, 2]; x }', undefined],
    ['holds a variable to one value', 'p if [x, x] = [1, 2]', undefined],
    ['chains', 'p := x if { x = y; y = z; z = 3 }', 3],
    ['works backwards through the order of statements', 'p := x if { x = y + 1; y = 2 }', 3],
    ['binds only where all of a statement is known', 'p := w if { [x, y] = [1, z]; w = x; z = 2 }', 1],
    ['iterates over references', 'p := [i | [1, 2, 1][i] = 1]', [0, 2]],
    ['joins two references', 'p := [i | input.a[i] = input.b[i]]', [1], { input: { a: [1, 2], b: [3, 2] } }],
    ['compares sets and arrays apart', 'p if [1] = {1}', undefined],
    ['iterates inside calls', 'p := [x | x := count(input[_])]', [1, 2], { input: [[1], [1, 2]] }],
    ['iterates inside calls of calls', 'p := [x | x := 1 + count(input[_])]', [2, 3], { input: [[1], [1, 2]] }],
    ['iterates inside literals', 'p := [x | x := {"k": [input[_], 1]}]', [{ k: ['a', 1] }], { input: ['a'] }],
    [
      'knows the index of an iteration in the rest of the literal',
      'p := [x | x := [i, input[i]]]',
      [
        [0, 'a'],
        [1, 'b'],
      ],
      { input: ['a', 'b'] },
    ],
    ['iterates on the side that is compared with', 'p if 3 = 1 + input[_]', true, { input: [1, 2] }],
    ['iterates inside calls within patterns', 'p := x if [x, 2] = [count(input[i]), i]', 3, { input: ['', '', 'abc'] }],
  ],
  iteration: [
    [
      'goes over arrays with indices',
      'p := [[i, x] | some i, x in ["a", "b"]]',
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    ['goes over objects in the order of keys', 'p := [k | some k, _ in {"b": 1, "a": 2, "c": 3}]', ['a', 'b', 'c']],
    ['goes over sets in order', 'p := [x | some x in {3, 1, 2}]', [1, 2, 3]],
    ['takes patterns after some', 'p := [x | some [x, 2] in [[1, 2], [3, 4]]]', [1]],
    ['declares without binding', 'p := x if { some x; x = 1 }', 1],
    ['makes products', 'p := count([1 | some x in [1, 2]; some y in [1, 2, 3]])', 6],
    ['gives every wildcard its own variable', 'p := count([1 | [1, 2][_] < [2, 3][_]])', 3],
    [
      'goes down several levels',
      'p := [x | x := input.a[_].b[_]]',
      [1, 2, 3],
      { input: { a: [{ b: [1] }, { b: [2, 3] }] } },
    ],
    ['skips what is missing', 'p := [x | x := input.a[_].b]', [1], { input: { a: [{ b: 1 }, { c: 2 }] } }],
    [
      'goes on inside what a call answers',
      'p := [x | some x in split(input[_], ",")]',
      ['a', 'b', 'c'],
      { input: ['a,b', 'c'] },
    ],
    [
      'goes on inside what a call in a literal answers',
      'p := [x | x := [split(input[_], ",")[0]]]',
      [['a'], ['c']],
      { input: ['a,b', 'c'] },
    ],
    [
      'goes over what a replacement iterates',
      'q := input\np := [x | x := q with input as input[_]]',
      [1, 2],
      { input: [1, 2] },
    ],
    [
      'binds in a head what another part of it uses',
      'p[i] := count(input[i])',
      { 0: 3, 1: 1 },
      { input: ['a,b', 'c'] },
    ],
    [
      'binds in the head of a comprehension',
      'p := {i: count(input[i]) | true}',
      { 0: 3, 1: 1 },
      { input: ['a,b', 'c'] },
    ],
    [
      'binds in a literal of a head',
      'p contains [i, count(input[i])]',
      [
        [0, 3],
        [1, 1],
      ],
      { input: ['a,b', 'c'] },
    ],
    ['uses a key from the value it finds', 'p := k if { some k; input[k] == k }', 1, { input: [5, 1, 0] }],
  ],
  every: [
    ['holds for all', 'p if every x in [1, 2] { x > 0 }', true],
    ['fails for one', 'p if every x in [1, 2] { x > 1 }', undefined],
    ['holds for nothing', 'p if every x in [] { false }', true],
    ['has keys', 'p if every k, v in {"a": "a"} { k == v }', true],
    ['sees variables around it', 'p if { y := 1; every x in [2, 3] { x > y } }', true],
    ['is undefined for what is no collection', 'p if every x in 5 { x }', undefined],
    ['waits for what its body uses', 'p if { every x in [1] { x == z }; z = y; y = 1 }', true],
    ['nests', 'p if every x in [[1], [2]] { every y in x { y > 0 } }', true],
  ],
  negation: [
    ['holds for undefined', 'p if not input.x', true],
    ['holds for false', 'p if not false', true],
    ['fails for what is defined', 'p if not input.x', undefined, { input: { x: 1 } }],
    ['compares with undefined', 'p if not input.x == 1', true],
    ['evaluates arguments of calls before', 'p if not startswith(input.x, "a")', undefined],
    ['sees bound variables', 'p := [x | some x in [1, 2, 3]; not x == 2]', [1, 3]],
    ['negates rules', 'p if not q\nq if 1 > 2', true],
    ['is undefined where an operand is', 'p if not input.x[input.y]', undefined],
    ['is undefined where an operand of a compared reference is', 'p if not input.x[input.y] == 1', undefined],
    ['is undefined where a part of a literal is', 'p if not [input.x]', undefined],
    ['is undefined where what a reference starts from is', 'q(1) := {}\np if not q(2).x', undefined],
    ['holds for a member that is missing', 'q(1) := {}\np if not q(1).x', true],
    [
      'evaluates nested calls before, with their iterations',
      'p if not count(input[_]) == 1',
      true,
      { input: [[1], [1, 2]] },
    ],
    ['leaves what is inside closures to them', 'p if not [1 | input.x] == [1]', true],
  ],
  comprehensions: [
    ['make arrays', 'p := [x * x | some x in [1, 2]]', [1, 4]],
    ['make sets', 'p := {x % 2 | some x in [1, 2, 3]}', [0, 1]],
    ['make objects', 'p := {k: v | some v, k in ["a", "b"]}', { a: 0, b: 1 }],
    ['close over variables', 'p := [[x | x == y] | y := [1, 2][_]; x := 1]', [[1], []]],
    ['nest', 'p := {x: {y | some y in [x, x + 1]} | some x in [1]}', { 1: [1, 2] }],
    [
      'wait for what they close over, wherever it is bound',
      'p := d if { d = [b | b = a[_]]; a = s; s = input }',
      [1],
      { input: [1] },
    ],
    ['make wait what uses them', 'p := n if { d = [b | b = a[_]]; n = count(d); a = s; s = input }', 1, { input: [1] }],
    ['wait inside replacements', 'q := input\np := w if { w = q with input as [m | m = k]; k = s; s = 2 }', [2]],
    ['are empty where nothing holds', 'p := [x | some x in [1]; x > 1]', []],
    [
      'group',
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
    ['makes refused builtins usable', 'p := v if v := http.send({}).x with http.send as {"x": 1}', 1],
    ['ends with its statement', 'p := [x, input] if x := input with input as 1', [1, 2], { input: 2 }],
    ['nests', 'q := input\nr := v if v := q with input as 2\np := v if v := [r, q] with input as 1', [2, 1]],
  ],
  documents: [
    ['join rules and data', 'p := data.t.base', 1, { data: { t: { base: 1 } } }],
    ['give rules precedence where they are asked for', 'q := 1\np := data.t.q', 1, { data: { t: { q: 2 } } }],
    ['are iterated together', 'p := [k | some k, _ in data.x]', ['a', 'b'], { data: { x: { b: 1, a: 2 } } }],
    ['have no key that is missing', 'p := data.x.y.z', undefined, { data: { x: {} } }],
    ['find members by number', 'p := data.x[1]', 'v', { data: { x: { 1: 'v' } } }],
    ['find items by the text of their index', 'p := [data.x["1"], 2]', ['b', 2], { data: { x: ['a', 'b'] } }],
    [
      'list what lies in the base document first',
      'x.a := 1\np := [k | data.t.x[k]]',
      ['b', 'a'],
      { data: { t: { x: { b: 1 } } } },
    ],
    [
      'are undefined where their rule is, whatever the base document',
      'q.k := 1 if input.x\np := [v | some k in ["k"]; v := data.t.q[k]]',
      [],
      { data: { t: { q: { k: 3 } } } },
    ],
    ['are undefined without input', 'p := input', undefined],
    ['may have null for input', 'p := input', null, { input: null }],
    ['may have false for input', 'p if input == false', true, { input: false }],
  ],
  strings: [
    ['may be raw', 'p := `a\\n`', 'a\\n'],
    ['have escapes', 'p := "\\u0041\\t"', 'A\t'],
    ['have templates', 'p := $"a{1 + 1}b{input.x}"', 'a2b<undefined>'],
    ['have templates inside templates', 'p := $"{$"{1}"}"', '1'],
    ['escape braces in templates', 'p := $"\\{x}"', '{x}'],
    ['print values in templates', 'p := $"{[1, "a"]} {"a"}"', '[1, "a"] a'],
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
    ['has sets by brackets', 'p[x] { x := [1, 2][_] }', [1, 2]],
    ['has objects by brackets', 'p[k] = v { [k, v] := ["a", 1] }', { a: 1 }],
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
    [
      'keys of which one is read',
      'q[k] := v if { k := "a"; some v in [1, 2] }\np := q.a',
      'object keys must be unique',
    ],
    [
      'places below a key',
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
