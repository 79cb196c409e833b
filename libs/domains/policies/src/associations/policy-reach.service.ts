import { distinctBy, entityKeyOf, type EntityRef, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyDecisionService } from '../decisions/policy-decision.service.js';
import { PolicyService } from '../policies/policy.service.js';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { PolicyEntityNames } from './policy-entity-names.js';
import type { PolicyReach } from './policy-reach.types.js';
import { PolicyReachedAgents } from './policy-reached-agents.js';
import { PolicyReferences, type NamedReference } from './policy-references.js';

/** Maximum number of listed associations. */
const MAX_LISTED = 200;
/** Maximum number of entities that are examined because an association or a reference names the policy for them. */
const MAX_ORIGINS = 10_000;

/** Finds out whom a policy reaches. */
@Injectable()
export class PolicyReachService {
  constructor(
    private readonly policies: PolicyService,
    private readonly associations: PolicyAssociationRepository,
    private readonly references: PolicyReferences,
    private readonly agents: PolicyReachedAgents,
    private readonly names: PolicyEntityNames,
    private readonly decisions: PolicyDecisionService,
  ) {}

  /**
   * Returns where the policy applies, or would apply if it were enabled. Runs of workflows and of teams reach their
   * agents in addition. Throws `not_found`.
   */
  async read(scope: Scope, policyId: string): Promise<PolicyReach> {
    await this.policies.read(scope, policyId);
    const [{ items: associations }, associated, references, last_24h] = await Promise.all([
      this.associations.list(scope, { policy_id: policyId }, { skip: 0, limit: MAX_LISTED, total: false }),
      this.associations.enabledEntitiesOf(scope, policyId, MAX_ORIGINS),
      this.references.naming(scope, policyId, MAX_ORIGINS),
      this.decisions.countLastDay(scope, policyId),
    ]);
    const origins = distinctBy([...associated, ...references.map(({ origin }) => origin)], entityKeyOf);
    const nameOf = await this.namesOf(scope, [...associations, ...origins], references);
    return {
      associations: associations.map((association) => ({ ...association, entity_name: nameOf(association) })),
      agents: await this.agents.by(
        scope,
        origins.map((origin) => ({ ...origin, entity_name: nameOf(origin) })),
      ),
      last_24h,
    };
  }

  private async namesOf(
    scope: Scope,
    entities: readonly EntityRef[],
    references: readonly NamedReference[],
  ): Promise<(entity: EntityRef) => string | null> {
    const names = new Map(await this.names.of(scope, entities));
    for (const { origin, name } of references) if (name !== null) names.set(entityKeyOf(origin), name);
    return (entity) => names.get(entityKeyOf(entity)) ?? null;
  }
}
