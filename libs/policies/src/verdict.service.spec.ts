import { describe, expect, it } from '@jest/globals';
import type { PolicyConfig } from '@app/config';
import { PolicyCompiler } from './policy-compiler.js';
import type { AppliedPolicy } from './policy.types.js';
import { VerdictService } from './verdict.service.js';
import type { Question } from './verdict.types.js';

const CONFIG: PolicyConfig = {
  maxSteps: 10_000_000,
  maxMs: 10_000,
  maxTotalMs: 10_000,
  maxCompileMs: 10_000,
  maxDepth: 200,
  maxMemoryMb: 32,
  decisionInputBytes: 1000,
  decisionDays: 1,
};
const SPINS =
  'package a\n\nviolations contains "x" if { some i in numbers.range(1, 100000); some j in numbers.range(1, 1000); i * j == -1 }';
const ALLOWS = 'package a\n\nallow := true';

const question: Question = { input: { user: 'ann' }, at: new Date(0), seed: 's' };
const service = (config: Partial<PolicyConfig> = {}): VerdictService =>
  new VerdictService(new PolicyCompiler(), { ...CONFIG, ...config });

function applied(...contents: string[]): AppliedPolicy[] {
  return contents.map((policy_content, index) => ({
    policy_id: `p${index}`,
    policy_name: `policy ${index}`,
    version: index + 1,
    policy_content,
    source: { entity_type: 'team' as const, entity_id: `t${index}` },
  }));
}

describe('several policies together', () => {
  it('allow where there is none', async () => {
    expect(await service().decide([], question)).toEqual({ allowed: true, violations: [], policies: [] });
  });

  it('allow only if every one does, and tell all that stands against it in their order', async () => {
    const contents = [
      ALLOWS,
      'package a\n\ndeny := ["b", "a"]',
      'package a\n\nallow := false',
      'package a\n\ndeny := ["a"]',
    ];
    const decided = await service().decide(applied(...contents), question);
    expect(decided).toMatchObject({ allowed: false, violations: ['b', 'a', 'a'] });
    expect(decided.policies).toEqual([
      expect.objectContaining({ policy_id: 'p0', policy_name: 'policy 0', version: 1, allowed: true, violations: [] }),
      expect.objectContaining({ policy_id: 'p1', version: 2, allowed: false, violations: ['b', 'a'], failure: null }),
      expect.objectContaining({
        policy_id: 'p2',
        allowed: false,
        violations: [],
        source: { entity_type: 'team', entity_id: 't2' },
      }),
      expect.objectContaining({ policy_id: 'p3', allowed: false, violations: ['a'] }),
    ]);
    expect((await service().decide(applied(ALLOWS, ALLOWS), question)).allowed).toBe(true);
  });

  it('do not see each other, even where they share a package and contradict', async () => {
    const contents = [
      'package a\n\nsecret := 1\n\nallow := true',
      'package a\n\nallow if not data.a.secret',
      'package a\n\nsecret := 2\n\nallow if data.a.secret == 2',
    ];
    const decided = await service().decide(applied(...contents), question);
    expect(decided.policies.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });

  it('keep their own verdicts whatever becomes of another', async () => {
    const contents = [ALLOWS, 'no policy', 'package a\n\nallow := true\n\nallow := false', SPINS, ALLOWS];
    const decided = await service({ maxSteps: 10_000 }).decide(applied(...contents), question);
    expect(decided.policies.map(({ allowed, failure }) => ({ allowed, failure }))).toEqual([
      { allowed: true, failure: null },
      { allowed: false, failure: 'compile' },
      { allowed: false, failure: 'evaluation' },
      { allowed: false, failure: 'steps' },
      { allowed: true, failure: null },
    ]);
    expect(decided.allowed).toBe(false);
    expect(decided.violations).toHaveLength(3);
  });

  it('can not hold the process: what all may take is bounded, and who comes too late for it denies', async () => {
    const config = { maxSteps: 100_000_000, maxMs: 20, maxTotalMs: 50 };
    const slow = Array.from({ length: 50 }, () => SPINS);
    const { policies } = await service(config).decide(applied(ALLOWS, ...slow, ALLOWS), question);
    const [first, ...others] = policies;
    expect(first?.allowed).toBe(true);
    expect(others.every(({ allowed, failure }) => !allowed && failure === 'time')).toBe(true);
    const asked = policies.filter(({ violations }) => !violations.some((text) => text.includes('was not evaluated')));
    expect(asked.length).toBeLessThan(10);
    expect(policies.at(-1)?.violations[0]).toContain('was not evaluated: the policies before it took the 50 ms');
  });

  it('let others have their turn', async () => {
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const config = { maxSteps: 100_000_000, maxMs: 20, maxTotalMs: 200 };
    await service(config).decide(applied(...Array.from({ length: 10 }, () => SPINS)), question);
    clearInterval(other);
    expect(turns).toBeGreaterThan(2);
  });

  it('are compiled once, however often they are asked', async () => {
    const compiler = new PolicyCompiler();
    const verdicts = new VerdictService(compiler, CONFIG);
    const [policy] = applied(ALLOWS);
    if (policy === undefined) throw new Error('there is one');
    await verdicts.decide([policy], question);
    const program = compiler.compile(policy.policy_id, policy.version, 'not looked at');
    await verdicts.decide([policy], question);
    expect(compiler.compile(policy.policy_id, policy.version, 'not looked at')).toBe(program);
  });

  it('tell no more together than can be kept with every decision, and count the rest', async () => {
    const talks = 'package a\n\ndeny contains sprintf("%0500d", [n]) if some n in numbers.range(1, 100)';
    const few = 'package a\n\ndeny contains "no"';
    const policies = applied(...Array.from({ length: 200 }, () => talks), few);
    const decided = await service().decide(policies, question);
    expect(decided.policies.every(({ allowed }) => !allowed)).toBe(true);
    expect(decided.violations.join('').length).toBeLessThan(128 * 1024);
    const lists = decided.policies.map(({ violations }) => violations.length);
    expect(lists.slice(0, 4)).toEqual([100, 100, 1, 1]);
    expect(decided.policies[2]?.violations).toEqual(['Violations: 100, too long to be told with those before']);
    expect(decided.policies.at(-1)?.violations).toEqual(['no']);
  });

  it('have a time for being compiled, too, and what it was enough for is known to the next decision', async () => {
    const verdicts = service({ maxCompileMs: Number.MIN_VALUE });
    const policies = applied(ALLOWS, ALLOWS, ALLOWS);
    const first = await verdicts.decide(policies, question);
    expect(first.policies.map(({ allowed, failure }) => ({ allowed, failure }))).toEqual([
      { allowed: true, failure: null },
      { allowed: false, failure: 'time' },
      { allowed: false, failure: 'time' },
    ]);
    expect(first.violations[0]).toContain('"policy 1" was not compiled: the policies before it took');
    const allowedNext = async (): Promise<boolean[]> =>
      (await verdicts.decide(policies, question)).policies.map(({ allowed }) => allowed);
    expect(await allowedNext()).toEqual([true, true, false]);
    expect(await allowedNext()).toEqual([true, true, true]);
  });

  it('are asked about the input as it is', async () => {
    const content = 'package a\n\nallow if input.user == "ann"';
    const verdicts = service();
    expect((await verdicts.decide(applied(content), question)).allowed).toBe(true);
    expect((await verdicts.decide(applied(content), { ...question, input: { user: 'bob' } })).allowed).toBe(false);
    expect((await verdicts.decide(applied(content), { ...question, input: {} })).allowed).toBe(false);
  });
});
