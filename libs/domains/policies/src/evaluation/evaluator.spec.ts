import { describe, expect, it } from '@jest/globals';
import { loadConfig, PolicyConfig } from '@app/config';
import { Evaluator, GRACE_MS } from './evaluator.js';
import type { EvaluatedPolicy, EvaluateJob, EvaluatorPolicy } from './evaluator.types.js';

const CONFIG = { ...loadConfig(PolicyConfig, {}), maxMs: 10_000, maxTotalMs: 60_000, maxCompileMs: 60_000 };
const ALLOWS = 'package app\n\nallow := true';

const policy = (policy_content: string, changes: Partial<EvaluatorPolicy> = {}): EvaluatorPolicy => {
  return { policy_id: 'p', policy_name: 'guard', version: 1, policy_content, isDraft: false, ...changes };
};
const jobOf = (...policies: EvaluatorPolicy[]): EvaluateJob => {
  const request = { input: '{}', at: new Date(0), seed: 's' };
  return { kind: 'evaluate', policies, request, limits: CONFIG, withOpa: false };
};

describe('Evaluator', () => {
  const begun: [index: number, milliseconds: number][] = [];
  const progress = { begin: (...begin: [number, number]) => void begun.push(begin) };
  const allowed = (evaluator: Evaluator, ...policies: EvaluatorPolicy[]): boolean[] =>
    (evaluator.run(jobOf(...policies)) as readonly EvaluatedPolicy[]).map(({ verdict }) => verdict.allowed);

  it('does not evict programs that decisions use when it compiles and evaluates drafts', () => {
    const evaluator = new Evaluator(progress);
    expect(allowed(evaluator, policy(ALLOWS))).toEqual([true]);
    for (let n = 0; n < 25; n += 1) {
      const draft = policy(`package a\n\nallow := ${n}`.padEnd(60_000), { policy_id: '', isDraft: true });
      expect(evaluator.run({ kind: 'compile', policy: draft, limits: CONFIG })).toEqual({ faults: [], warnings: [] });
      expect(allowed(evaluator, draft)).toEqual([false]);
    }
    expect(allowed(evaluator, policy('not compiled again'))).toEqual([true]);
  });

  it('returns the faults of a text instead of throwing an error', () => {
    const compiled = new Evaluator(progress).run({
      kind: 'compile',
      policy: policy('package a\n\nallow if x'),
      limits: CONFIG,
    });
    expect(compiled).toMatchObject({
      faults: [{ code: 'rego_unsafe_var_error', row: 3, col: 10 }],
      warnings: [],
    });
  });

  it('reports each step and its deadline before the step begins: compiling once, then evaluating', () => {
    const evaluator = new Evaluator(progress);
    const policies = [policy(ALLOWS), policy(ALLOWS, { policy_id: 'q' })];
    begun.length = 0;
    evaluator.run(jobOf(...policies));
    expect(begun.map(([index]) => index)).toEqual([0, 0, 1, 1]);
    expect(begun[0]).toEqual([0, CONFIG.maxCompileMs + GRACE_MS]);
    expect(begun[1]).toEqual([0, CONFIG.maxMs + GRACE_MS]);
    expect(begun[2]?.[1]).toBeLessThan(CONFIG.maxCompileMs + GRACE_MS);
    begun.length = 0;
    evaluator.run(jobOf(...policies));
    expect(begun.map(([index]) => index)).toEqual([0, 1]);
  });
});
