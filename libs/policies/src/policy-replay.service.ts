import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  decisionInputDiffers,
  decisionInputMissing,
  decisionUnasked,
  decisionVersionGone,
} from './policy-decision.errors.js';
import { digestOf } from './policy-decision-input.js';
import { PolicyDecisionService } from './policy-decision.service.js';
import type { PolicyDecision, ReplayedDecision } from './policy-decision.types.js';
import { PolicyReplayRepository } from './policy-replay.repository.js';
import type { AppliedPolicy } from './policy.types.js';
import { VerdictService } from './verdict.service.js';
import type { JointVerdict } from './verdict.types.js';

/** Makes decisions of the past again: the versions that decided, the input of then, at the time of then. */
@Injectable()
export class PolicyReplayService {
  constructor(
    private readonly decisions: PolicyDecisionService,
    private readonly versions: PolicyReplayRepository,
    private readonly verdicts: VerdictService,
  ) {}

  /** `given` is the input where it was too large to be kept; it must be the very one. Nothing is recorded. */
  async replay(scope: Scope, id: string, given: JsonObject | null): Promise<ReplayedDecision> {
    const { input: kept, ...recorded } = await this.decisions.read(scope, id);
    if (!recorded.allowed && recorded.policies.length === 0) throw decisionUnasked();
    const input = given ?? kept;
    if (input === null) throw decisionInputMissing();
    if (digestOf(input) !== recorded.input_digest) throw decisionInputDiffers();
    const policies = await this.policiesOf(scope, recorded);
    const replayed = await this.verdicts.decideAgain(policies, { input, at: recorded.at, seed: recorded.id });
    return { same: isDeepStrictEqual(wordsOf(recorded), wordsOf(replayed)), recorded, replayed };
  }

  private async policiesOf(scope: Scope, { policies }: Pick<PolicyDecision, 'policies'>): Promise<AppliedPolicy[]> {
    const found = policies.length === 0 ? [] : await this.versions.findTexts(scope, policies);
    const texts = new Map(
      found.map(({ policy_id, version, policy_content }) => [policy_id, { version, policy_content }]),
    );
    return policies.map(({ policy_id, policy_name, version, source }) => {
      const text = texts.get(policy_id);
      if (text === undefined) throw decisionVersionGone(policy_id, version);
      return { policy_id, policy_name, version, source, policy_content: text.policy_content };
    });
  }
}

/** What was said, without how long it took. */
function wordsOf({ allowed, violations, policies }: JointVerdict): unknown {
  return { allowed, violations, policies: policies.map(({ duration_ms: _took, ...said }) => said) };
}
