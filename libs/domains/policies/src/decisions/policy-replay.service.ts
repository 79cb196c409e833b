import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  decisionInputDiffers,
  decisionInputMissing,
  decisionNotEvaluated,
  decisionVersionMissing,
} from './policy-decision.errors.js';
import { digestOf } from './policy-decision-input.js';
import { PolicyDecisionService } from './policy-decision.service.js';
import type { PolicyDecision, ReplayedDecision } from './policy-decision.types.js';
import type { AppliedPolicy } from '../policies/policy.types.js';
import { VerdictService } from '../verdicts/verdict.service.js';
import type { CombinedVerdict } from '../evaluation/verdict.types.js';
import { PolicyVersionRepository } from '../versions/policy-version.repository.js';

/** Evaluates recorded decisions again, with the same policy versions, input, time and random seed. */
@Injectable()
export class PolicyReplayService {
  constructor(
    private readonly decisions: PolicyDecisionService,
    private readonly versions: PolicyVersionRepository,
    private readonly verdicts: VerdictService,
  ) {}

  /**
   * `givenInput` replaces an input that was too large to be stored. Throws `conflict` if its digest differs from the
   * recorded one. Records nothing.
   */
  async replay(scope: Scope, id: string, givenInput: JsonObject | null): Promise<ReplayedDecision> {
    const { input: storedInput, ...recorded } = await this.decisions.read(scope, id);
    if (!recorded.allowed && recorded.policies.length === 0) throw decisionNotEvaluated();
    const input = givenInput ?? storedInput;
    if (input === null) throw decisionInputMissing();
    if (digestOf(input) !== recorded.input_digest) throw decisionInputDiffers();
    const policies = await this.findPolicies(scope, recorded);
    const replayed = await this.verdicts.replay(scope, policies, { input, at: recorded.at, seed: recorded.id });
    const same = isDeepStrictEqual(withoutDurations(recorded), withoutDurations(replayed));
    return { same, recorded, replayed };
  }

  private async findPolicies(scope: Scope, { policies }: Pick<PolicyDecision, 'policies'>): Promise<AppliedPolicy[]> {
    const found = policies.length === 0 ? [] : await this.versions.findTexts(scope, policies);
    const texts = new Map(
      found.map(({ policy_id, version, policy_content }) => [policy_id, { version, policy_content }]),
    );
    return policies.map(({ policy_id, policy_name, version, source, sources = [source] }) => {
      const text = texts.get(policy_id);
      if (text === undefined) throw decisionVersionMissing(policy_id, version);
      return { policy_id, policy_name, version, source, sources, policy_content: text.policy_content };
    });
  }
}

/** Older records have no `sources`, which do not affect the verdict. */
function withoutDurations({ allowed, violations, policies }: CombinedVerdict): unknown {
  const verdicts = policies.map(({ duration_ms: _durationMs, sources: _sources, ...result }) => result);
  return { allowed, violations, policies: verdicts };
}
