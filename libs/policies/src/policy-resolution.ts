import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { BOUNDS } from './policy-bounds.js';
import { policyNotFound, tooManyPolicies } from './policy.errors.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicySubjects } from './policy-subjects.js';
import type { AppliedPolicies, AppliedPolicy, PolicyEntityType, PolicySource } from './policy.types.js';

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
  async find(
    scope: Scope,
    entityType: PolicyEntityType,
    entityId: string,
    runsIn: readonly string[] = [],
  ): Promise<AppliedPolicies> {
    const { sources } = await this.subjects.find(scope, entityType, entityId, runsIn);
    return this.associations.findApplied(scope, sources, BOUNDS);
  }

  /** The same for who wants to see them; more of them than can be evaluated together are a conflict. */
  async resolve(scope: Scope, entityType: PolicyEntityType, entityId: string): Promise<readonly AppliedPolicy[]> {
    const applied = await this.find(scope, entityType, entityId);
    if (applied === 'tooMany') throw tooManyPolicies();
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
    applied: AppliedPolicies,
    policyIds: readonly string[],
    asked: PolicySource,
  ): Promise<AppliedPolicies> {
    if (policyIds.length === 0 || applied === 'tooMany') return applied;
    const wanted = new Set(policyIds);
    const among = applied.filter(({ policy_id }) => wanted.has(policy_id));
    for (const { policy_id } of among) wanted.delete(policy_id);
    const others = wanted.size === 0 ? [] : await this.others(scope, [...wanted], asked, BOUNDS.bytes - bytesOf(among));
    return others === 'tooMany' ? others : [...among, ...others];
  }

  private async others(
    scope: Scope,
    ids: readonly string[],
    asked: PolicySource,
    bytes: number,
  ): Promise<AppliedPolicies> {
    const found = new Map((await this.policies.findTexts(scope, ids, bytes)).map((policy) => [policy.id, policy]));
    const applied: AppliedPolicy[] = [];
    for (const id of ids) {
      const policy = found.get(id);
      if (policy === undefined) throw policyNotFound();
      const { name, version, policy_content } = policy;
      if (!policy.enabled) continue;
      if (policy_content === null) return 'tooMany';
      applied.push({ policy_id: id, policy_name: name, version, policy_content, source: asked });
    }
    return applied;
  }
}

function bytesOf(policies: readonly AppliedPolicy[]): number {
  return policies.reduce((sum, { policy_content }) => sum + Buffer.byteLength(policy_content), 0);
}
