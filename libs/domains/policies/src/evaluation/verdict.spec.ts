import { describe, expect, it } from '@jest/globals';
import { compile, DEFAULT_BUDGET, type Budget, type Json } from '@app/rego';
import fc from 'fast-check';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { evaluateLocally, MAX_VIOLATION_LENGTH, MAX_VIOLATIONS, preparePolicy, skippedVerdict } from './verdict.js';
import type { LocalRequest, Verdict } from './verdict.types.js';

const request: LocalRequest = { readInput: () => ({}), at: new Date('2026-03-01T12:00:00.123Z'), seed: 'seed' };

function policy(policy_content: string): AppliedPolicy {
  const source = { entity_type: 'agent' as const, entity_id: 'a' };
  return { policy_id: 'p', policy_name: 'guard', version: 1, policy_content, source, sources: [source] };
}

function evaluate(
  text: string,
  overrides: Partial<LocalRequest> & { input?: Json } = {},
  budget: Partial<Budget> = {},
): Verdict {
  const prepare = () => preparePolicy(compile([{ name: '', text }]), text);
  const onInternalError = (error: unknown): never => {
    throw error;
  };
  const { input = {}, ...others } = overrides;
  return evaluateLocally(
    policy(text),
    prepare,
    { ...request, readInput: () => input, ...others },
    { ...DEFAULT_BUDGET, ...budget },
    onInternalError,
  );
}

const allowed = { allowed: true, violations: [], failure: null };
const denied = (...violations: string[]): Verdict => ({ allowed: false, violations, failure: null });

describe('the verdict of a policy with an allow rule', () => {
  it.each([
    ['is true', 'allow := true', allowed],
    ['is false', 'allow := false', denied()],
    ['is undefined', 'allow if input.nothing', denied()],
    ['is false by default', 'default allow := false\nallow if input.nothing', denied()],
    ['is true by default', 'default allow := true', allowed],
    ['is a string', 'allow := "true"', denied()],
    ['is a number', 'allow := 1', denied()],
    ['is null', 'allow := null', denied()],
    ['is an object', 'allow.everybody := true', denied()],
    ['is a set', 'allow contains "everybody"', denied()],
    ['is a list', 'allow := [true]', denied()],
    ['is a function, which has no value', 'allow(x) if x == 1', denied()],
    ['is true, but there is a violation', 'allow := true\nviolations contains "no"', denied('no')],
    ['is true, but there is a member of deny', 'allow := true\ndeny contains "no"', denied('no')],
    ['is undefined, and there is a violation', 'allow if false\nviolations contains "no"', denied('no')],
    ['comes from an else', 'allow := false if input.nothing\nelse := true', allowed],
  ])('allows only if `allow` is true: it %s', (_case, rules, verdict) => {
    expect(evaluate(`package app\n\n${rules}\n`)).toEqual(verdict);
  });
});

describe('the verdict of a policy without an allow rule', () => {
  it.each([
    ['there is no rule at all', '', allowed],
    ['there are other rules only', 'allowed := false\nallows if false', allowed],
    ['the sets are empty', 'violations contains "x" if input.nothing\ndeny contains "x" if input.nothing', allowed],
    ['the lists are empty', 'violations := []\ndeny := []', allowed],
    ['deny is false by default', 'default deny := false\ndeny if input.nothing', allowed],
    ['both are undefined', 'violations := ["x"] if input.nothing\ndeny if input.nothing', allowed],
    ['there is one violation', 'violations contains "a"', denied('a')],
    ['a set is sorted', 'violations contains "b"\nviolations contains "a"', denied('a', 'b')],
    ['a list keeps its order', 'violations := ["b", "a"]', denied('b', 'a')],
    ['violations come first, each once', 'deny := ["b", "c"]\nviolations := ["a", "b", "a"]', denied('a', 'b', 'c')],
    ['deny is true', 'deny if true', denied('deny is true')],
    ['deny is a string', 'deny := "no" if true', denied('no')],
    ['the string is empty', 'deny contains ""', denied('')],
    [
      'members are not strings',
      'deny := [{"msg": "m"}, 1, null, false, ["x"]]',
      denied('{"msg":"m"}', '1', 'null', 'false', '["x"]'),
    ],
    ['violations is an object', 'violations := {}', denied('violations is an object, not a set or list of strings')],
    ['deny is a number', 'deny := 0', denied('deny is a number, not a set or list of strings')],
    ['deny is null', 'deny := null', denied('deny is null, not a set or list of strings')],
    ['deny is a function, which has no value', 'deny(x) if x', allowed],
  ])('allows only if there is no violation: %s', (_case, rules, verdict) => {
    expect(evaluate(`package app\n\n${rules}\n`)).toEqual(verdict);
  });
});

describe('the package of a policy', () => {
  it.each(['app', 'a.b.c', 'a["x-y"].b', 'a["with \\"quotes\\""]', 'a.allow', 'system.authz', 'data', 'input.deny'])(
    'can have any name: %s',
    (name) => {
      expect(evaluate(`package ${name}\n\nallow := true`)).toEqual(allowed);
      expect(evaluate(`package ${name}\n\ndeny contains "no"`)).toEqual(denied('no'));
    },
  );

  it('can use the grammar of Rego v0', () => {
    const text = 'package old\n\nallow { input.ok }\n\ndeny[msg] { input.bad; msg := "bad" }\n';
    expect(evaluate(text, { input: { ok: true } })).toEqual(allowed);
    expect(evaluate(text, { input: { ok: true, bad: true } })).toEqual(denied('bad'));
  });
});

describe('a policy that fails denies, with the reason', () => {
  it.each([
    ['an empty text', '', 'compile', /^Policy "guard" does not compile: line 1, column 1: /],
    ['a syntax error', 'package a\n\nallow if {', 'compile', /does not compile: line 3, column/],
    ['an unsafe variable', 'package a\n\nallow if x > 1', 'compile', /does not compile: line 3, column 10: .*unsafe/],
    ['a recursion', 'package a\n\nallow if allow', 'compile', /does not compile: line 3/],
    ['a builtin with network access', 'package a\n\nallow if http.send({"url": input.u})', 'compile', /http\.send/],
    ['conflicting rules', 'package a\n\nx := 1\nx := 2\n\nallow if x == 1', 'evaluation', /^Policy "guard" failed: /],
    ['too many steps', loop(9), 'steps', /^Policy "guard" was stopped: .* steps \(100000\)$/],
    ['too much depth', deep(60), 'depth', /^Policy "guard" was stopped: .* depth \(50\)$/],
    ['too much memory', huge(), 'memory', /^Policy "guard" was stopped: .* memory \(1000000\)$/],
  ] as const)('%s', (_case, text, failure, message) => {
    const budget = { steps: 100_000, depth: 50, memory: 1_000_000 };
    expect(evaluate(text, {}, budget)).toEqual({
      allowed: false,
      violations: [expect.stringMatching(message)],
      failure,
    });
  });

  it('too much time', () => {
    const verdict = evaluate(loop(1000), {}, { steps: 1e12, milliseconds: 5 });
    expect(verdict).toMatchObject({ allowed: false, failure: 'time' });
  });

  it('no evaluation, because the policies before it used up the time', () => {
    expect(skippedVerdict(policy('package a'), 'evaluated', 250)).toEqual({
      allowed: false,
      violations: [
        'Policy "guard" was not evaluated: the policies before it used up the limit of 250 ms for all policies',
      ],
      failure: 'time',
    });
  });

  it('an internal error, which is logged but not part of the verdict', () => {
    const logged: unknown[] = [];
    const internal = new Error('an internal address');
    const fail = () => {
      throw internal;
    };
    const verdict = evaluateLocally(policy('package a'), fail, request, DEFAULT_BUDGET, (error) => logged.push(error));
    expect(verdict).toEqual({
      allowed: false,
      violations: ['Policy "guard" could not be evaluated'],
      failure: 'evaluation',
    });
    expect(logged).toEqual([internal]);
  });

  it('a failing rule, although the other rules allow', () => {
    const text = 'package a\n\nallow := true\n\nx := 1\nx := 2\n\ndeny contains "no" if x == 3';
    expect(evaluate(text)).toMatchObject({ allowed: false, failure: 'evaluation' });
  });
});

describe('the violations of a verdict', () => {
  it('are limited in number, and the rest is counted', () => {
    const text = `package a\n\nviolations contains sprintf("%04d", [n]) if some n in numbers.range(1, ${MAX_VIOLATIONS + 7})`;
    const { violations } = evaluate(text);
    expect(violations).toHaveLength(MAX_VIOLATIONS + 1);
    expect(violations[0]).toBe('0001');
    expect(violations.at(-1)).toBe('and 7 more');
  });

  it('are truncated', () => {
    const text =
      'package a\n\nviolations contains concat("", [x | some n in numbers.range(1, 10000); x := sprintf("%d", [n % 10])])';
    const [violation = ''] = evaluate(text).violations;
    expect(violation).toHaveLength(MAX_VIOLATION_LENGTH + 1);
    expect(violation.endsWith('…')).toBe(true);
  });

  it('contain only text that PostgreSQL can store', () => {
    expect(
      evaluate('package a\n\nviolations contains input.text', { input: { text: 'a\u0000b\uD800c' } }).violations,
    ).toEqual(['a\uFFFDb\uFFFDc']);
  });
});

describe('the time and the random values of a policy', () => {
  const text = `package a
allow if time.clock([time.now_ns(), "UTC"])[0] < 18
violations contains sprintf("%d %d %s", [time.now_ns(), rand.intn("x", 1000000000), uuid.rfc4122("k")])`;

  it('come from the request, so the same request gives the same verdict', () => {
    const first = evaluate(text);
    expect(evaluate(text)).toEqual(first);
    expect(first.violations[0]).toMatch(/^1772366400123000000 /);
  });

  it.each([
    ['another time', { at: new Date('2026-03-01T12:00:00.124Z') }],
    ['another seed', { seed: 'other' }],
  ])('change with %s', (_case, other) => {
    expect(evaluate(text, other).violations).not.toEqual(evaluate(text).violations);
  });
});

describe('generated policies', () => {
  /** The text of a rule with the violations it must produce. */
  const rule = (name: 'violations' | 'deny') =>
    fc.oneof(
      fc.constant({ text: '', violations: [] as string[] }),
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }).map((texts) => ({
        text: texts.map((text) => `${name} contains "${text}"`).join('\n'),
        violations: [...texts].sort(),
      })),
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }).map((texts) => ({
        text: `${name} := ${JSON.stringify(texts)}`,
        violations: texts,
      })),
      fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 }).map((texts) => ({
        text: texts.map((text) => `${name} contains "${text}" if input.nothing`).join('\n'),
        violations: [] as string[],
      })),
    );
  const allow = fc.constantFrom(
    { text: '', permits: true },
    { text: 'allow := true', permits: true },
    { text: 'allow if not input.nothing', permits: true },
    { text: 'default allow := false', permits: false },
    { text: 'allow if input.nothing', permits: false },
    { text: 'allow := "yes"', permits: false },
  );

  it('have exactly the expected verdict', () => {
    fc.assert(
      fc.property(allow, rule('violations'), rule('deny'), fc.boolean(), (first, second, third, reversed) => {
        const rules = [first.text, second.text, third.text];
        const text = `package any\n\n${(reversed ? rules.reverse() : rules).join('\n\n')}\n`;
        const violations = [...new Set([...second.violations, ...third.violations])];
        const expected = { allowed: first.permits && violations.length === 0, violations, failure: null };
        expect(evaluate(text)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  it('never throw, and deny whenever there is a failure or a violation', () => {
    const piece = fc.constantFrom(
      'package a\n',
      'allow',
      ' if ',
      '{',
      '}',
      'input.x',
      ':=',
      'true',
      '\n',
      '"',
      'deny',
      ' contains ',
      '[',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const verdict = evaluate(pieces.join(''));
        if (verdict.failure !== null) expect(verdict.allowed).toBe(false);
        if (verdict.violations.length > 0) expect(verdict.allowed).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

function loop(factor: number): string {
  return `package a\n\nviolations contains "x" if { some i in numbers.range(1, ${factor * 1000}); some j in numbers.range(1, 1000); i * j == -1 }`;
}

function deep(levels: number): string {
  const rules = Array.from({ length: levels }, (_rule, at) => `r${at} := r${at + 1} + 1`);
  return `package a\n\nallow if r0 > 0\n\n${rules.join('\n')}\n\nr${levels} := 1`;
}

function huge(): string {
  return 'package a\n\nviolations contains concat("", [x | some n in numbers.range(1, 40000); x := sprintf("%090d", [n])])';
}
