import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { policyNotFound, tooManyPolicies } from '../policies/policy.errors.js';
import { PolicyRepository } from '../policies/policy.repository.js';
import { PolicyReferences } from './policy-references.js';
import { PolicySubjects, type PolicyRun, type PolicySubject } from './policy-subjects.js';
import {
  DECISION_LIMITS,
  type AppliedPolicies,
  type AppliedPolicy,
  type PolicyEntityType,
  type PolicySource,
} from '../policies/policy.types.js';

/** Maximum number of `policy_ids` of one evaluation. */
export const MAX_POLICY_IDS = 100;

/** An entity, by its id, and the policies that apply to it. */
export interface PoliciesOfEntity {
  readonly entity: PolicySource;
  readonly policies: AppliedPolicies;
}

@Injectable()
export class PolicyResolution {
  constructor(
    private readonly subjects: PolicySubjects,
    private readonly associations: PolicyAssociationRepository,
    private readonly policies: PolicyRepository,
    private readonly references: PolicyReferences,
  ) {}

  /**
   * Returns the enabled policies that apply to an entity, in order of evaluation: those of its environments, of its
   * projects, of its team, then its own; within a level the higher priority first, then the older association. A policy found
   * more than once is returned once, at its first position. Throws `not_found` if the entity does not exist.
   */
  async find(scope: Scope, entityType: PolicyEntityType, entityId: string): Promise<PoliciesOfEntity> {
    const subject = await this.subjects.find(scope, entityType, entityId);
    return { entity: subject.entity, policies: await this.findApplied(scope, subject) };
  }

  /**
   * Returns the policies that apply to an execution before it starts, in the same order. They include those that apply to
   * the members of its runnable, which it can call, and those of the assigned environment, whether or not the runnable names
   * that environment. Takes part in the caller's transaction.
   */
  async findForRun(scope: Scope, run: PolicyRun): Promise<AppliedPolicies> {
    return this.findApplied(scope, await this.subjects.findForRun(scope, run));
  }

  /** Like `find`, but throws `conflict` if the policies exceed `DECISION_LIMITS`. */
  async resolve(scope: Scope, entityType: PolicyEntityType, entityId: string): Promise<readonly AppliedPolicy[]> {
    const { policies } = await this.find(scope, entityType, entityId);
    if (policies === 'tooMany') throw tooManyPolicies();
    return policies;
  }

  /**
   * Returns the applied policies in `policyIds`, in their order, then the other enabled policies in `policyIds`, in the
   * order given there, with `entity` as their source. Throws `not_found` for an unknown id: ignoring it could result in
   * no policies to evaluate, which would mean "allowed". For the same reason, all applied policies are returned if
   * `policyIds` is empty.
   */
  async narrow(
    scope: Scope,
    applied: AppliedPolicies,
    policyIds: readonly string[],
    entity: PolicySource,
  ): Promise<AppliedPolicies> {
    if (policyIds.length === 0 || applied === 'tooMany') return applied;
    const remaining = new Set(policyIds);
    const selected = applied.filter(({ policy_id }) => remaining.has(policy_id));
    for (const { policy_id } of selected) remaining.delete(policy_id);
    if (remaining.size === 0) return selected;
    const maxBytes = DECISION_LIMITS.bytes - bytesOf(selected);
    const others = await this.findByIds(scope, [...remaining], entity, maxBytes);
    return others === 'tooMany' ? others : [...selected, ...others];
  }

  private async findApplied(
    scope: Scope,
    { sources, runnables }: Omit<PolicySubject, 'entity'>,
  ): Promise<AppliedPolicies> {
    const references = await this.references.find(scope, runnables, sources);
    if (sources.length === 0 && references.length === 0) return [];
    return this.associations.findApplied(scope, sources, references, DECISION_LIMITS);
  }

  private async findByIds(
    scope: Scope,
    ids: readonly string[],
    entity: PolicySource,
    maxBytes: number,
  ): Promise<AppliedPolicies> {
    const found = new Map((await this.policies.findTexts(scope, ids, maxBytes)).map((policy) => [policy.id, policy]));
    const applied: AppliedPolicy[] = [];
    for (const id of ids) {
      const policy = found.get(id);
      if (policy === undefined) throw policyNotFound();
      const { name, version, policy_content } = policy;
      if (!policy.enabled) continue;
      if (policy_content === null) return 'tooMany';
      const origins = { source: entity, sources: [entity] };
      applied.push({ policy_id: id, policy_name: name, version, policy_content, ...origins });
    }
    return applied;
  }
}

function bytesOf(policies: readonly AppliedPolicy[]): number {
  return policies.reduce((sum, { policy_content }) => sum + Buffer.byteLength(policy_content), 0);
}
