import { PolicyConfig } from '@app/config';
import type { Scope } from '@app/kernel';
import { createCounter, createHistogram } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable, Optional } from '@nestjs/common';
import { TOO_MANY_POLICIES } from '../policies/policy.errors.js';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { ThreadStopped } from '../evaluation-threads/evaluation-thread.js';
import type { EvaluatedPolicy, OpaPolicy, EvaluatorPolicy } from '../evaluation/evaluator.types.js';
import { OpaEngine } from './opa-engine.js';
import { policyEvaluationBusy } from '../policies/policy.errors.js';
import {
  abandonedVerdict,
  evaluateWithOpa,
  MAX_TOTAL_VIOLATIONS_LENGTH,
  skippedVerdict,
  stoppedVerdict,
  truncateVerdict,
  violationsLength,
} from '../evaluation/verdict.js';
import type {
  EvaluationRequest,
  CombinedVerdict,
  PolicyResult,
  PolicyShape,
  Verdict,
} from '../evaluation/verdict.types.js';

const decisions = createCounter('platform_policy_decisions_total', 'Policy decisions by outcome', {
  outcome: ['allowed', 'denied'],
});
const evaluationTime = createHistogram(
  'platform_policy_evaluation_seconds',
  'Duration of a policy decision, including the wait for a thread',
  [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
);

/**
 * Evaluates policies in isolation: no policy can read another one or change its verdict. Throws `policyEvaluationBusy` if
 * too many evaluations are waiting.
 */
@Injectable()
export class VerdictService {
  private readonly logger = createLogger('policies');

  constructor(
    private readonly pool: EvaluationPool,
    private readonly config: PolicyConfig,
    @Optional() private readonly opa?: OpaEngine,
  ) {}

  /** Evaluates all policies, even after one has denied, so that the result contains the violations of all. */
  async decide(scope: Scope, policies: readonly AppliedPolicy[], request: EvaluationRequest): Promise<CombinedVerdict> {
    const stopTimer = evaluationTime.startTimer();
    const verdict = await this.evaluateAll(scope, policies, request, this.opa);
    stopTimer();
    decisions.inc({ outcome: verdict.allowed ? 'allowed' : 'denied' });
    return verdict;
  }

  /** Never uses OPA: only the evaluator of the platform can set the time and the random seed. */
  async replay(scope: Scope, policies: readonly AppliedPolicy[], request: EvaluationRequest): Promise<CombinedVerdict> {
    return this.evaluateAll(scope, policies, request, undefined);
  }

  private async evaluateAll(
    scope: Scope,
    policies: readonly AppliedPolicy[],
    request: EvaluationRequest,
    opa: OpaEngine | undefined,
  ): Promise<CombinedVerdict> {
    if (policies.length === 0) return combine([]);
    const stored = policies.map(toEvaluatorPolicy);
    const evaluated = await this.evaluateInThread(scope, stored, request, opa !== undefined);
    const spentMs = evaluated.reduce((sum, result) => sum + ('opa' in result ? 0 : result.durationMs), 0);
    const budget = new OpaBudget(this.config, spentMs, MAX_TOTAL_VIOLATIONS_LENGTH - lengthOfLocal(evaluated));
    const results: PolicyResult[] = [];
    for (const [index, policy] of policies.entries()) {
      const result = evaluated[index];
      if (result === undefined) throw new Error('A thread returned too few verdicts');
      if ('opa' in result) results.push(await this.runInOpa(policy, result.opa, request, { opa, budget }));
      else results.push(toPolicyResult(policy, localVerdict(result), result.durationMs));
    }
    return combine(results);
  }

  /** Never rejects because of a policy: if the thread is stopped, all policies of the decision deny. */
  private async evaluateInThread(
    scope: Scope,
    policies: readonly EvaluatorPolicy[],
    request: EvaluationRequest,
    withOpa: boolean,
  ): Promise<readonly (EvaluatedPolicy | OpaPolicy)[]> {
    try {
      const sent = { ...request, input: JSON.stringify(request.input) };
      const job = { kind: 'evaluate', policies, request: sent, limits: this.config, withOpa } as const;
      const results = await this.pool.run(scope, job);
      for (const [index, result] of results.entries()) {
        if ('internalError' in result) this.logInternalError(policies[index], result.internalError);
      }
      return results;
    } catch (error) {
      if (!(error instanceof ThreadStopped)) throw error;
      if (error.reason === 'closed') throw policyEvaluationBusy();
      return stoppedResults(policies, error);
    }
  }

  private async runInOpa(
    policy: AppliedPolicy,
    shape: PolicyShape,
    request: EvaluationRequest,
    { opa, budget }: { readonly opa: OpaEngine | undefined; readonly budget: OpaBudget },
  ): Promise<PolicyResult> {
    const { leftMs } = budget;
    const { maxMs, maxTotalMs } = this.config;
    if (leftMs <= 0 || opa === undefined) {
      return toPolicyResult(policy, budget.truncate(skippedVerdict(policy, 'evaluated', maxTotalMs)), 0);
    }
    const startedAt = performance.now();
    const verdict = await evaluateWithOpa(
      policy,
      shape,
      () => opa.evaluate(policy.policy_content, shape, request, Math.min(maxMs, leftMs)),
      (error) => this.logInternalError(policy, error),
    );
    const durationMs = performance.now() - startedAt;
    budget.leftMs -= durationMs;
    return toPolicyResult(policy, budget.truncate(verdict), durationMs);
  }

  private logInternalError(policy: Pick<AppliedPolicy, 'policy_id' | 'version'> | undefined, error: unknown): void {
    if (error === undefined) return;
    const { policy_id, version } = policy ?? {};
    this.logger.error({ err: error, policy_id, version }, 'policy evaluation failed, denied');
  }
}

/** The remaining part of the limits of a decision, for the policies that OPA evaluates. */
class OpaBudget {
  leftMs: number;

  constructor(
    { maxTotalMs }: PolicyConfig,
    spentMs: number,
    private leftLength: number,
  ) {
    this.leftMs = maxTotalMs - spentMs;
  }

  truncate(complete: Verdict): Verdict {
    const verdict = truncateVerdict(complete, this.leftLength);
    this.leftLength -= violationsLength(verdict);
    return verdict;
  }
}

function lengthOfLocal(results: readonly (EvaluatedPolicy | OpaPolicy)[]): number {
  return results.reduce((sum, result) => sum + ('opa' in result ? 0 : violationsLength(result.verdict)), 0);
}

function stoppedResults(policies: readonly EvaluatorPolicy[], { index, reason }: ThreadStopped): EvaluatedPolicy[] {
  const failure = reason === 'time' || reason === 'memory' ? reason : 'evaluation';
  const culprit = policies[index];
  return policies.map((policy, at) => {
    const isCulprit = at === index || culprit === undefined;
    const verdict = isCulprit ? stoppedVerdict(policy, failure) : abandonedVerdict(policy, culprit, failure);
    return { verdict, durationMs: 0, internalError: undefined };
  });
}

/** Creates the verdict in this process, because messages of a thread contain only copies. */
function localVerdict({ verdict: { allowed, violations, failure } }: EvaluatedPolicy): Verdict {
  return { allowed, violations: [...violations], failure };
}

function toEvaluatorPolicy({ policy_id, policy_name, version, policy_content }: AppliedPolicy): EvaluatorPolicy {
  return { policy_id, policy_name, version, policy_content, isDraft: false };
}

function toPolicyResult(policy: AppliedPolicy, verdict: Verdict, durationMs: number): PolicyResult {
  const { policy_id, policy_name, version, source, sources } = policy;
  const duration_ms = Math.round(durationMs * 1000) / 1000;
  return { policy_id, policy_name, version, source, sources, ...verdict, duration_ms };
}

/** Returns the combined verdict, which allows if there are no policies. */
function combine(policies: readonly PolicyResult[]): CombinedVerdict {
  return {
    allowed: policies.every(({ allowed }) => allowed),
    violations: policies.flatMap(({ violations }) => violations),
    policies,
  };
}

/**
 * Returns the verdict for the case that more policies apply than can be evaluated together, so that none is evaluated.
 */
export function tooManyPoliciesVerdict(): CombinedVerdict {
  return { allowed: false, violations: [TOO_MANY_POLICIES], policies: [] };
}
