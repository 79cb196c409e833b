import { afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig, PolicyConfig } from '@app/config';
import { DomainError } from '@app/kernel';
import { VerdictService } from '../verdicts/verdict.service.js';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { EvaluationPool } from './evaluation-pool.js';

const REQUEST = { input: { user: 'ann' }, at: new Date(0), seed: 's' };
const HOSTILE = { organizationId: 'hostile' };
const OTHER = { organizationId: 'other' };
const ALLOWS = 'package a\n\nallow if input.user == "ann"';
/** A policy that uses all of its time. */
const SLOW =
  'package a\n\ndeny contains "x" if { some i in numbers.range(1, 100000); some j in numbers.range(1, 1000); i * j == -1 }';
/** A single operation that takes longer than any time limit here, and during which no limit is checked. */
const STUCK = `package a\n\ndeny contains "x" if regex.match("${'a{1000}'.repeat(1000)}", "b")`;
const STUCK_LIMITS = { maxSteps: 100_000_000, maxMemoryMb: 1024, threadMemoryMb: 1024, maxMs: 200 };

const applied = (...contents: string[]): AppliedPolicy[] =>
  contents.map((policy_content, index) => ({
    policy_id: `p${index}-${policy_content}`,
    policy_name: `policy ${index}`,
    version: 1,
    policy_content,
    source: { entity_type: 'team' as const, entity_id: 't' },
    sources: [],
  }));

describe('EvaluationPool', () => {
  const pools: EvaluationPool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.onApplicationShutdown()));
  });

  const verdictsWith = (changes: Partial<PolicyConfig> = {}): VerdictService => {
    const config = { ...loadConfig(PolicyConfig, {}), maxMs: 5_000, maxTotalMs: 5_000, ...changes };
    const pool = new EvaluationPool(config);
    pools.push(pool);
    return new VerdictService(pool, config);
  };

  it('decides for another organization while fifty malicious evaluations run or wait', async () => {
    const config = { ...loadConfig(PolicyConfig, {}), maxSteps: 100_000_000, maxMs: 5_000, maxTotalMs: 5_000 };
    const pool = new EvaluationPool(config);
    pools.push(pool);
    const verdicts = new VerdictService(pool, config);
    const shortLived = new VerdictService(pool, { ...config, maxMs: 60, maxTotalMs: 60 });
    await verdicts.decide(OTHER, applied(ALLOWS), REQUEST);
    const ended: string[] = [];
    const hostile = Array.from({ length: 50 }, async () => {
      const { allowed } = await shortLived.decide(HOSTILE, applied(SLOW), REQUEST);
      expect(allowed).toBe(false);
      ended.push('hostile');
    });
    const others = (async () => {
      for (let n = 0; n < 5; n += 1)
        expect((await verdicts.decide(OTHER, applied(ALLOWS), REQUEST)).allowed).toBe(true);
      ended.push('other');
    })();
    await others;
    expect(ended.filter((who) => who === 'hostile').length).toBeLessThan(40);
    await Promise.all(hostile);
  });

  it('keeps a thread free for others even if there are more slow organizations than threads', async () => {
    const config = { ...loadConfig(PolicyConfig, {}), threads: 2 };
    const pool = new EvaluationPool(config);
    pools.push(pool);
    const decide = (organizationId: string, content: string, maxMs: number): Promise<unknown> => {
      const limits = { ...config, maxSteps: Number.MAX_SAFE_INTEGER, maxMs, maxTotalMs: maxMs };
      const policies = applied(content).map((policy) => ({ ...policy, isDraft: false }));
      return pool.run(
        { organizationId },
        { kind: 'evaluate', policies, request: { ...REQUEST, input: '{}' }, limits, withOpa: false },
      );
    };
    const hostile = ['a', 'b', 'c'];
    await Promise.all(hostile.map((id) => decide(id, SLOW, 1_000)));
    let ended = 0;
    const waiting = hostile.flatMap((id) => [0, 1, 2].map(() => decide(id, SLOW, 60_000).finally(() => (ended += 1))));
    for (let n = 0; n < 5; n += 1) await decide('other', ALLOWS, 60_000);
    expect(ended).toBe(0);
    const closed = Promise.allSettled(waiting);
    await pool.onApplicationShutdown();
    await closed;
  });

  it('does not block the event loop while a policy is evaluated', async () => {
    const verdicts = verdictsWith({ maxSteps: 100_000_000, maxMs: 1_000, maxTotalMs: 1_000 });
    let turns = 0;
    const other = setInterval(() => (turns += 1), 1);
    await verdicts.decide(HOSTILE, applied(SLOW), REQUEST);
    clearInterval(other);
    expect(turns).toBeGreaterThan(10);
  });

  it('stops a thread at its deadline, denies that decision only, and replaces the thread', async () => {
    const verdicts = verdictsWith({ ...STUCK_LIMITS, threads: 1 });
    const stuck = verdicts.decide(HOSTILE, applied(ALLOWS, STUCK, ALLOWS), REQUEST);
    const after = verdicts.decide(HOSTILE, applied(ALLOWS), REQUEST);
    const { allowed, policies } = await stuck;
    expect(allowed).toBe(false);
    expect(policies.map(({ failure }) => failure)).toEqual(['time', 'time', 'time']);
    expect(policies.map(({ violations }) => violations[0])).toEqual([
      'Policy "policy 0" was not evaluated: the thread was stopped at policy "policy 1"',
      'Policy "policy 1" was stopped: it did not end within its time limit',
      'Policy "policy 2" was not evaluated: the thread was stopped at policy "policy 1"',
    ]);
    expect((await after).allowed).toBe(true);
  });

  it('denies only the decision that exceeds the memory of its thread', async () => {
    const limits = { threadMemoryMb: 64, maxMemoryMb: 1024, maxSteps: 100_000_000, maxMs: 60_000, maxTotalMs: 60_000 };
    const verdicts = verdictsWith({ threads: 1, ...limits });
    const huge = 'package a\n\ndeny contains "x" if count([[x] | some x in numbers.range(1, 5000000)]) < 0';
    const decided = await verdicts.decide(HOSTILE, applied(huge), REQUEST);
    expect(decided).toMatchObject({
      allowed: false,
      violations: ['Policy "policy 0" was stopped: it used up the memory of its thread'],
      policies: [{ failure: 'memory' }],
    });
    expect((await verdicts.decide(HOSTILE, applied(ALLOWS), REQUEST)).allowed).toBe(true);
  });

  it('rejects evaluations of the organization that fills the queue, not those of others', async () => {
    const limits = { threads: 1, queueLength: 3, maxSteps: 100_000_000, maxMs: 5_000, maxTotalMs: 5_000 };
    const config = { ...loadConfig(PolicyConfig, {}), ...limits };
    const pool = new EvaluationPool(config);
    pools.push(pool);
    const verdicts = new VerdictService(pool, config);
    const shortLived = new VerdictService(pool, { ...config, maxMs: 100, maxTotalMs: 100 });
    const hostile = Array.from({ length: 10 }, () => shortLived.decide(HOSTILE, applied(SLOW), REQUEST));
    const other = verdicts.decide(OTHER, applied(ALLOWS), REQUEST);
    const settled = await Promise.allSettled(hostile);
    const reasons = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason).toBeInstanceOf(DomainError);
      expect(reason).toMatchObject({ code: 'policy_evaluation_busy', kind: 'unavailable' });
    }
    expect((await other).allowed).toBe(true);
  });

  it('rejects waiting and new jobs when it is closed', async () => {
    const verdicts = verdictsWith({ threads: 1 });
    const waiting = Array.from({ length: 3 }, () => verdicts.decide(OTHER, applied(ALLOWS), REQUEST));
    await Promise.all([
      ...pools.map((pool) => pool.onApplicationShutdown()),
      ...waiting.map((each) => expect(each).rejects.toMatchObject({ code: 'policy_evaluation_busy' })),
    ]);
    await expect(verdicts.decide(OTHER, applied(ALLOWS), REQUEST)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
