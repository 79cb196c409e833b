import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import type { Budget } from './budget.js';
import { RegoBudgetError, RegoCompileError } from './errors.js';
import { compile } from './program.js';
import type { EvaluateOptions } from './program.js';

const BUDGET: Budget = { steps: 200_000, milliseconds: 5_000, depth: 100, memory: 16 * 1024 * 1024 };

function attack(rules: string, options: EvaluateOptions = {}): string {
  try {
    const program = compile([{ name: 'attack.rego', text: `package a\n\n${rules}` }]);
    program.query('data.a.p = x').evaluate({ budget: BUDGET, ...options });
    return 'answered';
  } catch (error) {
    if (error instanceof RegoBudgetError) return error.kind;
    if (error instanceof RegoCompileError) return 'rejected';
    throw error;
  }
}

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

describe('an evaluation is protected', () => {
  it.each([
    [
      'a product of ranges',
      'p := count([1 | some a in numbers.range(1, 1000); some b in numbers.range(1, 1000); a == b; false])',
      'steps',
    ],
    ['a range without end', 'p := numbers.range(1, 1e15)', 'memory'],
    ['a range of big integers', 'p := numbers.range(1, 1e40)', 'memory'],
    [
      'text that doubles',
      `s0 := "aaaaaaaaaaaaaaaa"\n${chain(40, (at) => `s${at} := concat("", [s${at - 1}, s${at - 1}])`)}\np := count(s40)`,
      'memory',
    ],
    [
      'arrays that double',
      `s0 := [1, 2, 3, 4]\n${chain(40, (at) => `s${at} := array.concat(s${at - 1}, s${at - 1})`)}\np := count(s40)`,
      'steps',
    ],
    [
      'text replaced by longer text',
      'p := replace(replace(replace(concat("", [x | some _ in numbers.range(1, 1000); x := "a"]), "a", s), "a", s), "a", s)\ns := concat("", [x | some _ in numbers.range(1, 500); x := "a"])',
      'memory',
    ],
    ['a block of all addresses', 'p := net.cidr_expand("::/0")', 'memory'],
    ['a block of many addresses', 'p := net.cidr_expand("10.0.0.0/8")', 'memory'],
    [
      'paths of a dense graph',
      'g := {x: [y | some y in numbers.range(1, 12)] | some x in numbers.range(1, 12)}\np := count(graph.reachable_paths(g, [1]))',
      'answered',
    ],
    [
      'walks of walks',
      'x := numbers.range(1, 3000)\np := count([1 | walk(x, [_, a]); walk(x, [_, b]); a == b])',
      'steps',
    ],
    [
      'a set of all subsets',
      `p := count({x | ${Array.from({ length: 20 }, (_, at) => `some b${at} in [0, 1]`).join('; ')}; x := [${Array.from({ length: 20 }, (_, at) => `b${at}`).join(', ')}]})`,
      'memory',
    ],
    [
      'a regular expression that makes other engines backtrack',
      'p := regex.match("^(a+)+$", concat("", ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "!"]))',
      'answered',
    ],
    [
      'a regular expression with nested repetition',
      'p := regex.match("((a{1,1000}){1,1000}){1,1000}", "aaaa")',
      'answered',
    ],
    ['a regular expression with many repetitions', `p := regex.match("${'a{1000}'.repeat(1000)}", "a")`, 'steps'],
    ['a long regular expression that is only validated', `p := regex.is_valid("${'a{1000}'.repeat(1000)}")`, 'steps'],
    [
      'a regular expression that repeats a group',
      `p := regex.replace("a", "${'(a?|b){1000}'.repeat(100)}", "b")`,
      'steps',
    ],
    [
      'a regular expression that repeats an empty match',
      `p := regex.split("${'(?:\\\\b){1000}'.repeat(700)}", "a")`,
      'steps',
    ],
    ['a regular expression with many classes', `p := regex.match("(?i)${'\\\\pL'.repeat(3000)}", "a")`, 'steps'],
    [
      'a regular expression in a template',
      `p := regex.template_match("x{${'a<1000>'.repeat(1000).replaceAll('<', '{').replaceAll('>', '}')}}", "a", "{", "}")`,
      'steps',
    ],
    ['a glob of seven kilobytes', `p := glob.match("${'?{a,b,*c}'.repeat(700)}", ["."], "a")`, 'answered'],
    ['long alternatives in a glob', `p := glob.match("${'*{ab,cd}'.repeat(400)}", ["."], "a")`, 'steps'],
    [
      'the verification of a token with a hundred keys',
      `p := io.jwt.verify_es512("${tokenOf('ES512')}", \`${keySet(100)}\`)`,
      'steps',
    ],
    [
      'the decoding of a token with a hundred keys',
      `p := io.jwt.decode_verify("${tokenOf('ES512')}", {"cert": \`${keySet(100)}\`})`,
      'steps',
    ],
    [
      'more keys than a set can have',
      `p := io.jwt.verify_rs256("${tokenOf('RS256')}", \`${keySet(300)}\`)`,
      'answered',
    ],
    [
      'a key of many bits',
      `p := io.jwt.encode_sign({"alg": "RS256"}, {}, {"kty": "RSA", "n": "${'x'.repeat(2730)}"})`,
      'steps',
    ],
    ['a long regular expression', `p := regex.match("${'(a|b)'.repeat(5000)}", "a")`, 'answered'],
    ['a glob with many stars', `p := glob.match("${'*a'.repeat(60)}", null, "${'a'.repeat(200)}b")`, 'answered'],
    ['a number with a huge exponent', 'p := 1e100000 + 1', 'answered'],
    [
      'a product of huge numbers',
      `n0 := 12345678901234567890\n${chain(30, (at) => `n${at} := n${at - 1} * n${at - 1}`)}\np := n30`,
      'answered',
    ],
    ['a shift of many bits', 'p := bits.lsh(1, 1000000000)', 'answered'],
    ['a wide field', 'p := sprintf("%1000000000d", [1])', 'answered'],
    ['a long precision', 'p := sprintf("%.1000000000f", [1.5])', 'answered'],
    [
      'a YAML document whose aliases multiply its size',
      'p := yaml.unmarshal("a: &a [x,x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]")',
      'answered',
    ],
    ['deep JSON', `p := json.unmarshal("${nested('[', ']', 20_000)}")`, 'answered'],
    ['rules in a chain', `r0 := 1\n${chain(400, (at) => `r${at} := r${at - 1}`)}\np := r400`, 'depth'],
    [
      'functions that call each other twice',
      `f0(x) := x\n${chain(60, (at) => `f${at}(x) := f${at - 1}(x) + f${at - 1}(x)`)}\np := f60(1)`,
      'answered',
    ],
    [
      'functions that call each other twice with arrays',
      `f0(x) := 1\n${chain(60, (at) => `f${at}(x) := f${at - 1}(x) + f${at - 1}([x])`)}\np := f60([1])`,
      'steps',
    ],
    [
      'a replacement in a loop',
      'q := count(input)\np := count([1 | some x in numbers.range(1, 100000); q with input as [x]])',
      'steps',
    ],
    [
      'a comparison of large sets',
      's := {x | some x in numbers.range(1, 20000)}\np := count([1 | some x in numbers.range(1, 100000); s == {y | some y in s}])',
      'steps',
    ],
    [
      'a large YAML document',
      'p := yaml.unmarshal(concat("\\n", ["- a: b" | some _ in numbers.range(1, 20000)]))',
      'memory',
    ],
    [
      'large members of a set',
      't := concat("", ["x" | some _ in numbers.range(1, 20000)])\np := count({x | some i in numbers.range(1, 2000); x := [t, i]})',
      'steps',
    ],
    [
      'large keys of a set',
      't := [x | some x in numbers.range(1, 5000)]\ns := {t}\np := count([1 | some i in numbers.range(1, 2000); s[t]])',
      'steps',
    ],
    ['deeply nested brackets', `p := ${nested('[', ']', 5000)}`, 'rejected'],
    ['deeply nested braces', `p := ${nested('{', '}', 5000)}`, 'rejected'],
    ['deeply nested parentheses', `p := ${nested('(', ')', 5000)}`, 'rejected'],
    ['deeply nested comprehensions', `p := ${'[x | x := '.repeat(1000)}1${']'.repeat(1000)}`, 'rejected'],
    ['ambiguous comprehensions', `p := ${'[a | '.repeat(100)}1${', 2]'.repeat(100)}`, 'rejected'],
    ['a long sum', `p := ${'1 + '.repeat(20_000)}1`, 'rejected'],
    ['a number with many digits', `p := ${'9'.repeat(100_000)}`, 'rejected'],
    ['a rule with a long path', `p${'.x'.repeat(30_000)} := 1`, 'rejected'],
    ['recursion', 'p := f(1)\nf(x) := f(x)', 'rejected'],
    [
      'deep terms in deep rules',
      `r0 := "1"\n${chain(100, (at) => `r${at} := ${'['.repeat(60)}r${at - 1}${']'.repeat(60)}`)}\np := json.marshal(r100)`,
      'depth',
    ],
    [
      'printing a value that was nested level by level',
      `r0 := 1\n${chain(700, (at) => `r${at} := [r${at - 1}]`)}\np := json.marshal([${Array.from({ length: 71 }, (_, at) => `r${at * 10}`).join(', ')}])`,
      'depth',
    ],
    [
      'deep YAML in brackets',
      `p := yaml.unmarshal(concat("", [x | some _ in numbers.range(1, 9000); x := "["]))`,
      'answered',
    ],
    [
      'deep YAML in dashes',
      `p := yaml.unmarshal(concat("", [x | some _ in numbers.range(1, 4000); x := "- "]))`,
      'answered',
    ],
    ['writing deep YAML', `p := yaml.marshal(json.unmarshal("${nested('[', ']', 500)}"))`, 'answered'],
    ['deep metadata', `# METADATA\n# ${'['.repeat(20_000)}\np := 1`, 'rejected'],
    ['templates inside templates', `p := ${'$"{'.repeat(2_000)}1${'}"'.repeat(2_000)}`, 'rejected'],
  ])('against %s', (_, rules, expected) => {
    expect(attack(rules)).toBe(expected);
  });

  it('against deep input', () => {
    const input = JSON.parse(nested('[', ']', 5000)) as never;
    expect(() => attack('p := count(input)', { input })).toThrow('arrays are nested too deeply');
    expect(attack('p := input', { input: deepObject(20_000) as never })).toBe('depth');
  });

  it.each([
    ['padding', 'base64url.decode(input)', `${'='.repeat(200_000)}x`],
    ['padding of a token', 'io.jwt.decode(input)', `${'='.repeat(200_000)}x.e30.e30`],
    ['one name in a query', 'urlquery.decode_object(input)', 'a=1&'.repeat(50_000)],
    [
      'a JSON pointer',
      'json.match_schema({"a": input}, {"properties": {"a": {"format": "json-pointer"}}})',
      `${'/'.repeat(60)}~`,
    ],
    ['a template', 'strings.render_template(input, {})', '{{.a}}'.repeat(20_000)],
  ])('against texts that a simple implementation would process slowly: %s', (_, call, input) => {
    expect(['answered', 'steps', 'memory', 'time']).toContain(attack(`p := ${call}`, { input }));
  });

  it('against names of authors that consist mostly of spaces', () => {
    const author = `a${' '.repeat(100_000)}b`;
    expect(attack(`# METADATA\n# authors:\n# - ${JSON.stringify(author)}\np := 1`)).toBe('answered');
  });

  it('by a time budget, also during a builtin', () => {
    let now = 0;
    const clock = (): number => now;
    const budget = { ...BUDGET, milliseconds: 100 };
    const program = compile([{ name: 'a.rego', text: 'package a\n\np := slow(input)' }], {
      builtins: { slow: { arity: 1, call: () => (now += 1000) } },
    });
    const evaluate = (input: string): unknown => program.query('data.a.p').value({ input, clock, budget });
    expect(() => evaluate('x'.repeat(10_000))).toThrow(RegoBudgetError);
  });

  it('by a time budget', () => {
    let now = 0;
    const clock = (): number => (now += 10);
    const options = { clock, budget: { ...BUDGET, steps: 1e9, milliseconds: 100 } };
    expect(
      attack('p := count([1 | some a in numbers.range(1, 1000); some b in numbers.range(1, 1000); a == b])', options),
    ).toBe('time');
  });

  it('against changes of the built-in objects of JavaScript', () => {
    const input = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2}') as never;
    const program = compile([
      {
        name: 'a.rego',
        text: 'package a\n\np := object.union(input, {"__proto__": {"x": 1}})\nq := input.hasOwnProperty\nr := input.constructor',
      },
    ]);
    const result = program.query('data.a').value({ input });
    expect(JSON.stringify(result)).toBe(
      '{"p":{"__proto__":{"polluted":true,"x":1},"constructor":1,"toString":2},"r":1}',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

/** Each of these texts would take minutes if the work grew with the third power of the length of the text. */
describe('compiling is protected', () => {
  const backwards = (line: (at: number) => string): string => `p if {\n${chain(4_000, line)}\nx4000 = 1\n}`;

  const names = (count: number, from: number): string =>
    Array.from({ length: count }, (_, at) => (at + from === count ? '1' : `x${at + from}`)).join();

  it.each([
    ['statements that each depend on the next one', backwards((at) => `x${at - 1} = x${at}`), 'depth'],
    ['closures that each depend on the next statement', backwards((at) => `x${at - 1} = [x${at} | true]`), 'depth'],
    ['calls that each depend on the next one', backwards((at) => `abs(x${at}, x${at - 1})`), 'depth'],
    ['a unification with many parts', `p if [${names(5_000, 0)}] = [${names(5_000, 1)}]`, 'rejected'],
    ['many variables', `p if {\n${chain(8_000, (at) => `x${at} := 1`)}\n}`, 'depth'],
    [
      'rules that each depend on the next one',
      `${chain(10_000, (at) => `r${at} if r${at + 1}`)}\nr10001 := 1`,
      'answered',
    ],
    ['a long cycle of rules', chain(5_000, (at) => `r${at} if r${(at % 5_000) + 1}`), 'rejected'],
    ['many rules with one name', chain(10_000, (at) => `p := 1 if input.x == ${at}`), 'answered'],
  ])('against %s', (_, rules, expected) => {
    expect(attack(rules)).toBe(expected);
  });

  it('by a limit on the number of reported recursions', () => {
    const rules = chain(500, (at) => `r${at} if r${(at % 500) + 1}`);
    const compiling = (): unknown => compile([{ name: '', text: `package a\n${rules}` }]);
    expect(compiling).toThrow(RegoCompileError);
    try {
      compiling();
    } catch (error) {
      expect((error as RegoCompileError).faults).toHaveLength(20);
    }
  });
});

function chain(length: number, rule: (at: number) => string): string {
  return Array.from({ length }, (_, at) => rule(at + 1)).join('\n');
}

function tokenOf(alg: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg })}.${part({})}.${'A'.repeat(176)}`;
}

/** Returns a set with the same key many times. */
function keySet(count: number): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  return JSON.stringify({ keys: Array.from({ length: count }, () => publicKey.export({ format: 'jwk' })) });
}

function deepObject(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
}
