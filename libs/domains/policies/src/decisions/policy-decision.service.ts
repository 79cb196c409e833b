import { PolicyConfig } from '@app/config';
import { Clock, newId, type Caller, type JsonObject, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { policyDecisionNotFound } from './policy-decision.errors.js';
import { actionOf, digestOf, plainInput } from './policy-decision-input.js';
import { PolicyDecisionRepository } from './policy-decision.repository.js';
import type {
  CheckAuthorization,
  DecisionRequest,
  EvaluatePolicies,
  PolicyDecision,
  PolicyDecisionFilter,
  PolicyDecisionSummary,
} from './policy-decision.types.js';
import { PolicyResolution } from '../associations/policy-resolution.js';
import type { AppliedPolicies, PolicyEntityType, PolicySource } from '../policies/policy.types.js';
import { tooManyPoliciesVerdict, VerdictService } from '../verdicts/verdict.service.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Evaluates the policies of entities and records the decisions. */
@Injectable()
export class PolicyDecisionService {
  constructor(
    private readonly resolution: PolicyResolution,
    private readonly verdicts: VerdictService,
    private readonly decisions: PolicyDecisionRepository,
    private readonly config: PolicyConfig,
    private readonly clock: Clock,
  ) {}

  /** Evaluates the policies of an entity, or those named in `policy_ids`, on an input. Records the decision. */
  async evaluate(
    caller: Caller,
    entityType: PolicyEntityType,
    entityId: string,
    { input, policy_ids }: EvaluatePolicies,
  ): Promise<PolicyDecision> {
    const { entity, policies: applied } = await this.resolution.find(caller, entityType, entityId);
    const policies = await this.resolution.narrow(caller, applied, policy_ids, entity);
    return this.decideAndRecord(caller, 'evaluation', entity, policies, input);
  }

  /** Evaluates whether the policies of an entity allow the caller an action on a resource. Records the decision. */
  async checkAuthorization(
    caller: Caller,
    entityType: PolicyEntityType,
    entityId: string,
    { action, resource, context }: CheckAuthorization,
  ): Promise<PolicyDecision> {
    const { entity, policies } = await this.resolution.find(caller, entityType, entityId);
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

  /** Decides without recording the decision; the caller passes it to `record`. */
  async decide(scope: Scope, policies: AppliedPolicies, { input, ...facts }: DecisionRequest): Promise<PolicyDecision> {
    const id = newId();
    const at = this.clock.now();
    const { plain, bytes } = plainInput(input);
    const request = { input: plain, at, seed: id };
    const verdict =
      policies === 'tooMany' ? tooManyPoliciesVerdict() : await this.verdicts.decide(scope, policies, request);
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

  /** Stores the decision. Takes part in the caller's transaction. */
  async record(decision: PolicyDecision): Promise<void> {
    await this.decisions.insert(decision);
  }

  /** Newest first. */
  async list(scope: Scope, filter: PolicyDecisionFilter, page: Page): Promise<PageResult<PolicyDecisionSummary>> {
    return this.decisions.list(scope, filter, page);
  }

  /** Returns the id of the newest decision on an execution, or undefined if there is none. */
  async newestIdOf(scope: Scope, executionId: string): Promise<string | undefined> {
    return this.decisions.findNewestIdOf(scope, executionId);
  }

  /**
   * Returns the number of decisions of the last 24 hours for which the policy was evaluated, and how many of them deny.
   */
  async countLastDay(scope: Scope, policyId: string): Promise<{ readonly decisions: number; readonly denied: number }> {
    return this.decisions.countSince(scope, policyId, new Date(this.clock.millis() - DAY_MS));
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
    const facts = { kind, ...entity, execution_id: null, user_id, user_email, key_id };
    const decision = await this.decide(caller, policies, { ...facts, input });
    await this.record(decision);
    return decision;
  }
}
