import { describe, expect, it } from '@jest/globals';
import { RegoCompileError } from './errors.js';
import { compile } from './program.js';

function faultsOf(rules: string): readonly string[] {
  try {
    compile([{ name: 'p.rego', text: `package p\n${rules}` }]);
    return [];
  } catch (error) {
    if (!(error instanceof RegoCompileError)) throw error;
    return error.faults.map((fault) => `${fault.row}:${fault.col} ${fault.code} ${fault.message}`);
  }
}

describe('faults of modules', () => {
  it.each([
    ['a missing brace', 'a if { true', '2:12 rego_parse_error unexpected end of file: expected \\n or ; or }'],
    ['a bad operator', 'a := 1 ? 2', '2:8 rego_parse_error illegal token "?"'],
    ['an open string', 'a := "x', '2:6 rego_parse_error non-terminated string'],
    ['a bad escape', 'a := "\\q"', '2:7 rego_parse_error illegal escape sequence in string'],
    [
      'two statements on a line',
      'a if { true false }',
      '2:13 rego_parse_error unexpected false keyword: expected \\n or ; or }',
    ],
    [
      'a body without if',
      'import rego.v1\ndeny contains msg { msg := 1 }',
      '3:19 rego_parse_error expected if keyword before the body of a rule',
    ],
    [
      'a rule of the older grammar beside one of the newer',
      'a if true\nb[x] { x := 1 }',
      '3:6 rego_parse_error expected contains keyword in place of brackets around a member, and if keyword before the body of a rule',
    ],
    ['a keyword as a name', 'not := 1', '2:1 rego_parse_error unexpected not keyword'],
    ['a number with leading zeros', 'a := 01', '2:6 rego_parse_error illegal number format'],
    [
      'an import of an unknown root',
      'import foo.bar\na := 1',
      '2:8 rego_parse_error unexpected import path, must begin with one of: {data, future, input, rego}, got: foo',
    ],
    ['an unsafe variable', 'a if x > 1', '2:6 rego_unsafe_var_error var x is unsafe'],
    ['an unsafe head', 'a := x if true', '2:6 rego_unsafe_var_error var x is unsafe'],
    ['an unsafe negation', 'a if not input.x[i]', '2:6 rego_unsafe_var_error var i is unsafe'],
    ['a cycle of variables', 'a if { x = y; y = x }', '2:8 rego_unsafe_var_error var x is unsafe'],
    ['a variable assigned twice', 'a if { x := 1; x := 2 }', '2:16 rego_compile_error var x assigned above'],
    ['an assignment to a constant', 'a if 1 := 1', '2:6 rego_compile_error cannot assign to number'],
    ['a constant inside a pattern', 'a if { [x, "y"] := [1, "y"] }', '2:12 rego_compile_error cannot assign to string'],
    ['a use before its declaration', 'a if { y = x; x := 2; y = 1 }', '2:15 rego_compile_error var x referenced above'],
    ['an argument declared again', 'f(x) if x := 1', '2:9 rego_compile_error arg x redeclared'],
    ['an unused declaration', 'a if { some x; true }', '2:13 rego_compile_error declared var x unused'],
    ['an unknown function', 'a := foo(1)', '2:6 rego_type_error undefined function foo'],
    ['a call of the input', 'a := input.f(1)', '2:6 rego_type_error undefined function input.f'],
    [
      'an import with a keyword as its name',
      'import data.x.if\na := 1',
      '2:8 rego_parse_error unexpected import path, must not end with a keyword, got: if',
    ],
    ['an unknown builtin', 'a := strings.nope(1)', '2:6 rego_type_error undefined function strings.nope'],
    [
      'too many arguments',
      'a := count(1, 2, 3)',
      '2:6 rego_type_error count: arity mismatch: expected 1 arguments, got 3',
    ],
    [
      'a rule with a value and another rule below it',
      'a := 1\na.b := 2',
      '2:1 rego_type_error rule data.p.a conflicts with [data.p.a.b]',
    ],
    [
      'a rule with a value and with members',
      'a := {}\na[k] := 1 if k := "x"',
      '2:1 rego_type_error conflicting rules data.p.a found',
    ],
    [
      'a rule with members of both kinds',
      'a[k] := 1 if k := "x"\na[k] contains 2 if k := "y"',
      '3:1 rego_type_error conflicting rules data.p.a found',
    ],
    [
      'a replacement inside a rule',
      'a := {"b": 1}\nc if a with a.b as 2',
      '3:13 rego_compile_error with keyword cannot partially replace virtual document(s)',
    ],
    ['two kinds of a rule', 'a := 1\na contains 2', '3:1 rego_type_error conflicting rules data.p.a found'],
    [
      'functions of different arity',
      'f(x) := x\nf(x, y) := x',
      '3:1 rego_type_error conflicting rules data.p.f found: arity differs',
    ],
    [
      'a default that must be evaluated',
      'default a := input.x',
      '2:14 rego_parse_error illegal default rule (value cannot contain ref)',
    ],
    [
      'a default with a call inside',
      'default a := [count("x")]',
      '2:15 rego_parse_error illegal default rule (value cannot contain call)',
    ],
    [
      'a default function with a repeated argument',
      'default f(x, x) := 1',
      '2:14 rego_parse_error illegal default rule (arguments cannot be repeated x)',
    ],
    [
      'a default function with a pattern as an argument',
      'default f([x]) := 1',
      '2:11 rego_parse_error illegal default rule (arguments cannot contain array)',
    ],
    [
      'a default with a variable in its name',
      'default a.b[c] := 1',
      '2:13 rego_parse_error default rules cannot have variables in their reference',
    ],
    [
      'an else of a set',
      'a contains 1 if false\nelse := 2',
      '3:1 rego_parse_error else keyword cannot be used on multi-value rules',
    ],
    [
      'an else of rules with variables in their names',
      'a[k] := 1 if k := "x"\nelse := 2 if true',
      '3:1 rego_parse_error else keyword cannot be used on rules with variables in head',
    ],
    [
      'a replacement that takes other arguments',
      'f(x) := x\na if concat(",", ["x"]) with concat as f',
      '3:25 rego_type_error concat: arity mismatch: expected 2 arguments, got 1',
    ],
    [
      'a replacement of a builtin that is never called by name',
      'a if walk([1], [_, 1]) with walk as 1',
      '2:29 rego_compile_error with keyword replacing built-in function: target must not be a relation',
    ],
    ['an alias of a feature', 'import rego.v1 as v\na := 1', '2:1 rego_parse_error import rego.v1 cannot be aliased'],
    [
      'metadata with an unknown scope',
      '# METADATA\n# scope: galaxy\na := 1',
      '2:1 rego_parse_error invalid scope "galaxy"',
    ],
    ['two defaults', 'default a := 1\ndefault a := 2', '3:1 rego_type_error multiple default rules data.p.a found'],
    [
      'a refused builtin',
      'a := http.send({})',
      '2:6 rego_refused_builtin http.send is refused: it reaches outside the evaluation',
    ],
    [
      'the runtime',
      'a := opa.runtime()',
      '2:6 rego_refused_builtin opa.runtime is refused: it reaches outside the evaluation',
    ],
    [
      'a name look-up',
      'a := net.lookup_ip_addr("x")',
      '2:6 rego_refused_builtin net.lookup_ip_addr is refused: it reaches outside the evaluation',
    ],
    [
      'a `with` whose target does not exist',
      'a if true with foo as 1',
      '2:16 rego_type_error with keyword target must reference existing input, data, or a function',
    ],
  ])('name the position and the reason of %s', (_, rules, expected) => {
    expect(faultsOf(rules)[0]).toBe(expected);
  });

  it.each([
    ['a rule that uses itself', 'a if a', 'rule data.p.a is recursive: data.p.a -> data.p.a'],
    ['two rules that use each other', 'a if b\nb if a', 'rule data.p.a is recursive: data.p.a -> data.p.b -> data.p.a'],
    ['a function that calls itself', 'f(x) := f(x)', 'rule data.p.f is recursive: data.p.f -> data.p.f'],
    [
      'a rule that reads everything below another one',
      'a.b if data.p.a.c[x]\na.c.d if e\ne if data.p.a',
      'rule data.p.a.b is recursive: data.p.a.b -> data.p.a.c.d -> data.p.e -> data.p.a.b',
    ],
    ['a rule that reads all of data', 'a if data[x]', 'rule data.p.a is recursive: data.p.a -> data.p.a'],
    [
      'a closure',
      'a := [x | x := b]\nb := [x | x := a]',
      'rule data.p.a is recursive: data.p.a -> data.p.b -> data.p.a',
    ],
  ])('name the cycle of %s', (_, rules, expected) => {
    expect(faultsOf(rules).join('\n')).toContain(expected);
  });

  it('name a rule with the path of a package', () => {
    const sources = ['package a.b', 'package a\nb := 1'].map((text, at) => ({ name: `${at}.rego`, text }));
    expect(() => compile(sources)).toThrow('package a.b conflicts with rule data.a.b');
  });

  it('list the faults of every module', () => {
    const sources = ['package a\nx :=', 'package b\ny if {', 'package c\nz := 1'].map((text, at) => ({
      name: `${at}.rego`,
      text,
    }));
    expect(() => compile(sources)).toThrow(
      expect.objectContaining({
        faults: [expect.objectContaining({ file: '0.rego' }), expect.objectContaining({ file: '1.rego' })],
      }),
    );
  });

  it('name every unsafe variable once, in any rule, statement or head', () => {
    const rules = ['a if x > y', 'b := [z, z]', 'c if u = [v]', 'd if false', 'else := w'];
    expect(faultsOf(rules.join('\n'))).toEqual([
      '2:6 rego_unsafe_var_error var x is unsafe',
      '2:6 rego_unsafe_var_error var y is unsafe',
      '3:7 rego_unsafe_var_error var z is unsafe',
      '4:6 rego_unsafe_var_error var u is unsafe',
      '4:6 rego_unsafe_var_error var v is unsafe',
      '6:9 rego_unsafe_var_error var w is unsafe',
    ]);
  });

  it.each([
    ['a function that does not exist', 'a if data.q.f(1)', '2:6 rego_type_error undefined function data.q.f'],
    [
      'a refused builtin',
      'a if http.send({})',
      '2:6 rego_refused_builtin http.send is refused: it reaches outside the evaluation',
    ],
  ])('name a statement that calls %s once', (_, rules, expected) => {
    expect(faultsOf(rules)).toEqual([expected]);
  });

  it('do not include unsupported builtins that are replaced', () => {
    expect(faultsOf('a := http.send({})\nb if a with http.send as true')).toEqual([]);
  });
});
