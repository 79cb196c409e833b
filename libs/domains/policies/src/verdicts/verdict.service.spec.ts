import { afterAll, describe, expect, it } from '@jest/globals';
import type { PolicyConfig } from '@app/config';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { VerdictService } from './verdict.service.js';
import type { EvaluationRequest } from '../evaluation/verdict.types.js';

const CONFIG: PolicyConfig = {
  maxSteps: 10_000_000,
  maxMs: 10_000,
  maxTotalMs: 10_000,
  maxCompileMs: 10_000,
  maxDepth: 200,
  maxMemoryMb: 32,
  decisionInputBytes: 1000,
  decisionDays: 1,
  threads: 1,
  threadMemoryMb: 128,
  queueLength: 100,
};
const SLOW =
  'package a\n\nviolations contains "x" if { some i in numbers.range(1, 100000); some j in numbers.range(1, 1000); i * j == -1 }';
const ALLOWS = 'package a\n\nallow := true';

const SCOPE = { organizationId: 'o' };
const pool = new EvaluationPool(CONFIG);
afterAll(() => pool.onApplicationShutdown());

const request: EvaluationRequest = { input: { user: 'ann' }, at: new Date(0), seed: 's' };
const service = (config: Partial<PolicyConfig> = {}): VerdictService =>
  new VerdictService(pool, { ...CONFIG, ...config });

/** Each call creates new policies, so that none of them is in the cache of the thread. */
let decisions = 0;
function applied(...contents: string[]): AppliedPolicy[] {
  decisions += 1;
  return contents.map((policy_content, index) => ({
    policy_id: `p${index} of ${decisions}`,
    policy_name: `policy ${index}`,
    version: index + 1,
    policy_content,
    source: { entity_type: 'team' as const, entity_id: `t${index}` },
    sources: [],
  }));
}

describe('VerdictService', () => {
  it('allows if there is no policy', async () => {
    expect(await service().decide(SCOPE, [], request)).toEqual({ allowed: true, violations: [], policies: [] });
  });

  it('allows only if every policy does, and returns all violations in order of evaluation', async () => {
    const contents = [
      ALLOWS,
      'package a\n\ndeny := ["b", "a"]',
      'package a\n\nallow := false',
      'package a\n\ndeny := ["a"]',
    ];
    const policies = applied(...contents);
    const [p0, p1, p2, p3] = policies.map(({ policy_id }) => policy_id);
    const decided = await service().decide(SCOPE, policies, request);
    expect(decided).toMatchObject({ allowed: false, violations: ['b', 'a', 'a'] });
    expect(decided.policies).toEqual([
      expect.objectContaining({ policy_id: p0, policy_name: 'policy 0', version: 1, allowed: true, violations: [] }),
      expect.objectContaining({ policy_id: p1, version: 2, allowed: false, violations: ['b', 'a'], failure: null }),
      expect.objectContaining({
        policy_id: p2,
        allowed: false,
        violations: [],
        source: { entity_type: 'team', entity_id: 't2' },
        sources: [],
      }),
      expect.objectContaining({ policy_id: p3, allowed: false, violations: ['a'] }),
    ]);
    expect((await service().decide(SCOPE, applied(ALLOWS, ALLOWS), request)).allowed).toBe(true);
  });

  it('isolates policies, even if they have the same package and conflicting rules', async () => {
    const contents = [
      'package a\n\nsecret := 1\n\nallow := true',
      'package a\n\nallow if not data.a.secret',
      'package a\n\nsecret := 2\n\nallow if data.a.secret == 2',
    ];
    const decided = await service().decide(SCOPE, applied(...contents), request);
    expect(decided.policies.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });

  it('does not change the verdict of a policy when another one fails', async () => {
    const contents = [ALLOWS, 'no policy', 'package a\n\nallow := true\n\nallow := false', SLOW, ALLOWS];
    const decided = await service({ maxSteps: 10_000 }).decide(SCOPE, applied(...contents), request);
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

  it('limits the time of all policies together; policies beyond the limit deny', async () => {
    const config = { maxSteps: 100_000_000, maxMs: 20, maxTotalMs: 50 };
    const slow = Array.from({ length: 50 }, () => SLOW);
    const { policies } = await service(config).decide(SCOPE, applied(ALLOWS, ...slow, ALLOWS), request);
    const [first, ...others] = policies;
    expect(first?.allowed).toBe(true);
    expect(others.every(({ allowed, failure }) => !allowed && failure === 'time')).toBe(true);
    const evaluated = policies.filter(
      ({ violations }) => !violations.some((text) => text.includes('was not evaluated')),
    );
    expect(evaluated.length).toBeLessThan(10);
    expect(policies.at(-1)?.violations[0]).toContain(
      'was not evaluated: the policies before it used up the limit of 50 ms',
    );
  });

  it('yields to the event loop between policies', async () => {
    let turns = 0;
    const other = setInterval(() => (turns += 1), 0);
    const config = { maxSteps: 100_000_000, maxMs: 20, maxTotalMs: 200 };
    await service(config).decide(SCOPE, applied(...Array.from({ length: 10 }, () => SLOW)), request);
    clearInterval(other);
    expect(turns).toBeGreaterThan(2);
  });

  it('compiles a version once', async () => {
    const decided = async (policy_content: string, version: number): Promise<boolean> => {
      const policy = applied(policy_content).map((first) => ({ ...first, policy_id: 'once', version }));
      return (await service().decide(SCOPE, policy, request)).allowed;
    };
    expect(await decided(ALLOWS, 1)).toBe(true);
    expect(await decided('never compiled', 1)).toBe(true);
    expect(await decided('compiled', 2)).toBe(false);
  });

  it('limits the violations of all policies together, and only counts further ones', async () => {
    const verbose = 'package a\n\ndeny contains sprintf("%0500d", [n]) if some n in numbers.range(1, 100)';
    const terse = 'package a\n\ndeny contains "no"';
    const policies = applied(...Array.from({ length: 200 }, () => verbose), terse);
    const decided = await service().decide(SCOPE, policies, request);
    expect(decided.policies.every(({ allowed }) => !allowed)).toBe(true);
    expect(decided.violations.join('').length).toBeLessThan(128 * 1024);
    const lists = decided.policies.map(({ violations }) => violations.length);
    expect(lists.slice(0, 4)).toEqual([100, 100, 1, 1]);
    expect(decided.policies[2]?.violations).toEqual(['100 violations, not listed because the decision has too many']);
    expect(decided.policies.at(-1)?.violations).toEqual(['no']);
  });

  it('limits the time of compiling, and caches compiled policies for the next decision', async () => {
    const verdicts = service({ maxCompileMs: Number.MIN_VALUE });
    const policies = applied(ALLOWS, ALLOWS, ALLOWS);
    const first = await verdicts.decide(SCOPE, policies, request);
    expect(first.policies.map(({ allowed, failure }) => ({ allowed, failure }))).toEqual([
      { allowed: true, failure: null },
      { allowed: false, failure: 'time' },
      { allowed: false, failure: 'time' },
    ]);
    expect(first.violations[0]).toContain('"policy 1" was not compiled: the policies before it used up');
    const allowedNext = async (): Promise<boolean[]> =>
      (await verdicts.decide(SCOPE, policies, request)).policies.map(({ allowed }) => allowed);
    expect(await allowedNext()).toEqual([true, true, false]);
    expect(await allowedNext()).toEqual([true, true, true]);
  });

  it('evaluates policies on the input', async () => {
    const content = 'package a\n\nallow if input.user == "ann"';
    const verdicts = service();
    expect((await verdicts.decide(SCOPE, applied(content), request)).allowed).toBe(true);
    expect((await verdicts.decide(SCOPE, applied(content), { ...request, input: { user: 'bob' } })).allowed).toBe(
      false,
    );
    expect((await verdicts.decide(SCOPE, applied(content), { ...request, input: {} })).allowed).toBe(false);
  });
});
