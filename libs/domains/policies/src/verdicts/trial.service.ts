import { PolicyConfig } from '@app/config';
import { parseExactJson, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { EvaluatedTrial, EvaluatorPolicy, EvaluatorRequest } from '../evaluation/evaluator.types.js';
import { stoppedVerdict } from '../evaluation/verdict.js';
import type { EvaluationRequest, Verdict } from '../evaluation/verdict.types.js';
import { policyEvaluationBusy } from '../policies/policy.errors.js';
import { EvaluationPool } from '../evaluation-threads/evaluation-pool.js';
import { ThreadStopped } from '../evaluation-threads/evaluation-thread.js';
import { draftOf } from './policy-checker.js';

/** Text that is not a stored version of a policy. */
export interface Draft {
  /** Occurs in violations. */
  readonly name: string;
  readonly content: string;
}

export interface TrialOptions {
  /** No trial begins after this time. The first one always begins. */
  readonly milliseconds: number;
  /** Whether the trials have the output of the package. */
  readonly explain: boolean;
}

/** The evaluation of a draft on one request. */
export interface Trial {
  readonly verdict: Verdict;
  readonly duration_ms: number;
  /**
   * The value of the package, JSON; null without `explain`, if the evaluation failed, and if the text has more than
   * 64 Ki characters.
   */
  readonly output: unknown;
}

/** Evaluates drafts. Never uses OPA, which would keep the text. */
@Injectable()
export class TrialService {
  private readonly logger = createLogger('policies');

  constructor(
    private readonly pool: EvaluationPool,
    private readonly config: PolicyConfig,
  ) {}

  /** Evaluates the draft on one request. */
  async evaluate(scope: Scope, draft: Draft, request: EvaluationRequest, explain: boolean): Promise<Trial> {
    const [trial] = await this.run(scope, draft, [request], { milliseconds: this.config.maxMs, explain });
    if (trial === undefined) throw new Error('A thread returned no trial');
    return trial;
  }

  /**
   * Evaluates the draft on each request, in their order, and returns fewer trials if the time is over. Throws
   * `policyEvaluationBusy` if too many evaluations are waiting.
   */
  async run(
    scope: Scope,
    { name, content }: Draft,
    requests: readonly EvaluationRequest[],
    options: TrialOptions,
  ): Promise<readonly Trial[]> {
    const sent = requests.map((request) => ({ ...request, input: JSON.stringify(request.input) }));
    return (await this.evaluateInThread(scope, draftOf(content, name), sent, options)).map(toTrial);
  }

  private async evaluateInThread(
    scope: Scope,
    policy: EvaluatorPolicy,
    requests: readonly EvaluatorRequest[],
    options: TrialOptions,
  ): Promise<readonly EvaluatedTrial[]> {
    try {
      const trials = await this.pool.run(scope, { kind: 'trials', policy, requests, limits: this.config, ...options });
      for (const { internalError } of trials) {
        if (internalError !== undefined) this.logger.error({ err: internalError }, 'evaluation of a draft failed');
      }
      return trials;
    } catch (error) {
      if (!(error instanceof ThreadStopped)) throw error;
      if (error.reason === 'closed') throw policyEvaluationBusy();
      const verdict = stoppedVerdict(policy, error.reason === 'crash' ? 'evaluation' : error.reason);
      const stopped = { verdict, durationMs: 0, internalError: undefined, output: null };
      // The results of the trials before it were lost with the thread.
      const before = requests.slice(0, error.index);
      return [...(before.length === 0 ? [] : await this.evaluateInThread(scope, policy, before, options)), stopped];
    }
  }
}

function toTrial({ verdict: { allowed, violations, failure }, durationMs, output }: EvaluatedTrial): Trial {
  return {
    verdict: { allowed, violations: [...violations], failure },
    duration_ms: Math.round(durationMs * 1000) / 1000,
    output: output === null ? null : parseExactJson(output),
  };
}
