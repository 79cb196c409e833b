import { PolicyConfig } from '@app/config';
import { Clock, newId, type Caller, type JsonObject, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { policyDecisionNotFound } from './policy-decision.errors.js';
import { actionOf, digestOf, plainInput } from './policy-decision-input.js';
import { PolicyDecisionRepository } from './policy-decision.repository.js';
import type {
  CheckAuthorization,
  DecisionCase,
  EvaluatePolicies,
  PolicyDecision,
  PolicyDecisionFilter,
  PolicyDecisionSummary,
} from './policy-decision.types.js';
import { PolicyResolution } from './policy-resolution.js';
import { PolicySubjects } from './policy-subjects.js';
import type { AppliedPolicies, PolicyEntityType, PolicySource } from './policy.types.js';
import { excessVerdict } from './verdict.js';
import { VerdictService } from './verdict.service.js';

/** Decides by policies, and keeps what was decided. */
@Injectable()
export class PolicyDecisionService {
  constructor(
    private readonly resolution: PolicyResolution,
    private readonly subjects: PolicySubjects,
    private readonly verdicts: VerdictService,
    private readonly decisions: PolicyDecisionRepository,
    private readonly config: PolicyConfig,
    private readonly clock: Clock,
  ) {}

  /** What the policies of an entity, or some of them, say to an input. */
  async evaluate(
    caller: Caller,
    entityType: PolicyEntityType,
    entityId: string,
    { input, policy_ids }: EvaluatePolicies,
  ): Promise<PolicyDecision> {
    const entity = await this.entity(caller, entityType, entityId);
    const applied = await this.resolution.find(caller, entityType, entityId);
    const policies = await this.resolution.narrow(caller, applied, policy_ids, entity);
    return this.decideAndRecord(caller, 'evaluation', entity, policies, input);
  }

  /** Whether the policies of an entity let the caller do something to something. */
  async checkAuthorization(
    caller: Caller,
    entityType: PolicyEntityType,
    entityId: string,
    { action, resource, context }: CheckAuthorization,
  ): Promise<PolicyDecision> {
    const entity = await this.entity(caller, entityType, entityId);
    const policies = await this.resolution.find(caller, entityType, entityId);
    const { userId, userEmail, userName } = caller;
    const subject = { type: entity.entity_type, id: entity.entity_id };
    const user = { id: userId, email: userEmail, name: userName };
    return this.decideAndRecord(caller, 'authorization', entity, policies, {
      action,
      resource,
      context,
      entity: subject,
      user,
    });
  }

  /** Decides without a word to anybody: what it says counts once it is recorded. */
  async decide(scope: Scope, policies: AppliedPolicies, { input, ...facts }: DecisionCase): Promise<PolicyDecision> {
    const id = newId();
    const at = this.clock.now();
    const { plain, bytes } = plainInput(input);
    const question = { input: plain, at, seed: id };
    const verdict = policies === 'tooMany' ? excessVerdict() : await this.verdicts.decide(policies, question);
    return {
      ...facts,
      id,
      organization_id: scope.organizationId,
      action: actionOf(plain),
      ...verdict,
      input_digest: digestOf(plain),
      input_bytes: bytes,
      input: bytes > this.config.decisionInputBytes ? null : plain,
      at,
    };
  }

  /** Takes part in the caller's transaction. */
  async record(decision: PolicyDecision): Promise<void> {
    await this.decisions.insert(decision);
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyDecisionFilter, page: Page): Promise<Listed<PolicyDecisionSummary>> {
    return this.decisions.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<PolicyDecision> {
    const decision = await this.decisions.find(scope, id);
    if (decision === undefined) throw policyDecisionNotFound();
    return decision;
  }

  private async decideAndRecord(
    caller: Caller,
    kind: 'evaluation' | 'authorization',
    entity: PolicySource,
    policies: AppliedPolicies,
    input: JsonObject,
  ): Promise<PolicyDecision> {
    const { userId: user_id, userEmail: user_email, keyId: key_id } = caller;
    const asker = { user_id, user_email, key_id };
    const decision = await this.decide(caller, policies, { kind, ...entity, execution_id: null, ...asker, input });
    await this.record(decision);
    return decision;
  }

  /** By its id, where its name was given. */
  private async entity(scope: Scope, type: PolicyEntityType, id: string): Promise<PolicySource> {
    return { entity_type: type, entity_id: type === 'environment' ? await this.subjects.idOf(scope, type, id) : id };
  }
}
