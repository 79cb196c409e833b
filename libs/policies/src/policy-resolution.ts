import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { BOUNDS } from './policy-bounds.js';
import { policyNotFound, tooManyPolicies } from './policy.errors.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicySubjects } from './policy-subjects.js';
import type { AppliedPolicy, PolicyEntityType, PolicySource } from './policy.types.js';

/** The most `policy_ids` that may be asked for at once. */
export const MAX_POLICY_IDS = 100;

@Injectable()
export class PolicyResolution {
  constructor(
    private readonly subjects: PolicySubjects,
    private readonly associations: PolicyAssociationRepository,
    private readonly policies: PolicyRepository,
  ) {}

  /**
   * The enabled policies that enabled associations make apply to an entity, in order of evaluation: those of its
   * environments, of its team, its own; within a level by priority, higher first, then the older association first. A
   * policy met twice is answered once, where it is met first. An entity this organisation does not have is not found.
   *
   * Of an execution that is about to start, `runsIn` are the environments (ids or names) it goes to: their policies
   * apply to it even where the entity itself does not name them. Takes part in the caller's transaction.
   */
  async resolve(
    scope: Scope,
    entityType: PolicyEntityType,
    entityId: string,
    runsIn: readonly string[] = [],
  ): Promise<AppliedPolicy[]> {
    const { sources } = await this.subjects.find(scope, entityType, entityId, runsIn);
    const applied = await this.associations.findApplied(scope, sources, BOUNDS);
    if (applied === 'tooMany') throw tooManyPolicies(BOUNDS.policies, BOUNDS.bytes);
    return applied;
  }

  /**
   * Those of the applied policies that are named, in their order, then the other named ones, in the order of their
   * names, with the entity that was asked for as their source. A disabled one is left out, as everywhere. An id that is
   * no policy of the organisation is not found: leaving it out could mean that nothing is evaluated, which allows. For
   * the same reason no ids at all narrow nothing.
   */
  async narrow(
    scope: Scope,
    applied: readonly AppliedPolicy[],
    policyIds: readonly string[],
    asked: PolicySource,
  ): Promise<AppliedPolicy[]> {
    if (policyIds.length === 0) return [...applied];
    const wanted = new Set(policyIds);
    const among = applied.filter(({ policy_id }) => wanted.has(policy_id));
    for (const { policy_id } of among) wanted.delete(policy_id);
    return [...among, ...(wanted.size === 0 ? [] : await this.others(scope, [...wanted], asked))];
  }

  private async others(scope: Scope, ids: readonly string[], asked: PolicySource): Promise<AppliedPolicy[]> {
    const found = new Map((await this.policies.findTexts(scope, ids)).map((policy) => [policy.id, policy]));
    return ids.flatMap((id) => {
      const policy = found.get(id);
      if (policy === undefined) throw policyNotFound();
      const { name, version, policy_content } = policy;
      return policy.enabled ? [{ policy_id: id, policy_name: name, version, policy_content, source: asked }] : [];
    });
  }
}
