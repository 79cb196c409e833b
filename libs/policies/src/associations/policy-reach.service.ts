import { InheritanceService, type EntityLayers } from '@app/context';
import { RunnableSources, type RunnableRef } from '@app/executions';
import { Clock, distinctBy, entityKeyOf, type EntityRef, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyDecisionRepository } from '../decisions/policy-decision.repository.js';
import type { PolicyOrigin } from '../policies/policy.types.js';
import { PolicyService } from '../policies/policy.service.js';
import { PolicyAssociationRepository } from './policy-association.repository.js';
import { PolicyEntityNames } from './policy-entity-names.js';
import type { NamedOrigin, PolicyReach, ReachedAgent } from './policy-reach.types.js';
import { PolicyReferences, type NamedReference } from './policy-references.js';

/** Maximum number of listed associations, and of listed agents. */
const MAX_LISTED = 200;
/** Maximum number of entities that are examined because an association or a reference names the policy for them. */
const MAX_ORIGINS = 10_000;
/** Number of agents whose layers are read together. */
const AGENTS_PER_READ = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

type NameOf = (origin: EntityRef) => string | null;

/** Finds out whom a policy reaches. */
@Injectable()
export class PolicyReachService {
  constructor(
    private readonly policies: PolicyService,
    private readonly associations: PolicyAssociationRepository,
    private readonly references: PolicyReferences,
    private readonly inheritance: InheritanceService,
    private readonly runnables: RunnableSources,
    private readonly names: PolicyEntityNames,
    private readonly decisions: PolicyDecisionRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns where the policy applies, or would apply if it were enabled. Runs of workflows and of teams reach their
   * agents in addition. Throws `not_found`.
   */
  async read(scope: Scope, policyId: string): Promise<PolicyReach> {
    await this.policies.read(scope, policyId);
    const since = new Date(this.clock.millis() - DAY_MS);
    const [{ items: associations }, associated, references, last_24h] = await Promise.all([
      this.associations.list(scope, { policy_id: policyId }, { skip: 0, limit: MAX_LISTED, total: false }),
      this.associations.enabledEntitiesOf(scope, policyId, MAX_ORIGINS),
      this.references.naming(scope, policyId, MAX_ORIGINS),
      this.decisions.countSince(scope, policyId, since),
    ]);
    const origins = distinctBy([...associated, ...references.map(({ origin }) => origin)], entityKeyOf);
    const nameOf = await this.namesOf(scope, [...associations, ...origins], references);
    return {
      associations: associations.map((association) => ({ ...association, entity_name: nameOf(association) })),
      agents: await this.reachedBy(scope, origins, nameOf),
      last_24h,
    };
  }

  /** Examines all agents of the organization: their layers are those that their runs have. */
  private async reachedBy(
    scope: Scope,
    origins: readonly PolicyOrigin[],
    nameOf: NameOf,
  ): Promise<PolicyReach['agents']> {
    const named = new Map(origins.map((origin) => [entityKeyOf(origin), { ...origin, entity_name: nameOf(origin) }]));
    const items: ReachedAgent[] = [];
    let total = 0;
    let ids = named.size === 0 ? [] : await this.runnables.idsAfter(scope, 'agent', '', AGENTS_PER_READ);
    while (ids.length > 0) {
      const refs = ids.map((id): RunnableRef => ({ kind: 'agent', id }));
      for (const agent of await this.inheritance.layersOf(scope, refs)) {
        const via = viaOf(agent, named);
        if (via.length > 0) total += 1;
        if (via.length > 0 && items.length < MAX_LISTED) items.push({ ...agentIn(agent), via });
      }
      ids = await this.runnables.idsAfter(scope, 'agent', ids.at(-1) ?? '', AGENTS_PER_READ);
    }
    return { total, items };
  }

  private async namesOf(
    scope: Scope,
    entities: readonly EntityRef[],
    references: readonly NamedReference[],
  ): Promise<NameOf> {
    const names = new Map(await this.names.of(scope, entities));
    for (const { origin, name } of references) if (name !== null) names.set(entityKeyOf(origin), name);
    return (entity) => names.get(entityKeyOf(entity)) ?? null;
  }
}

function viaOf({ layers }: EntityLayers, origins: ReadonlyMap<string, NamedOrigin>): NamedOrigin[] {
  return layers.flatMap((layer) => origins.get(entityKeyOf(layer)) ?? []);
}

function agentIn({ runnable: { id, name } }: EntityLayers): Pick<ReachedAgent, 'id' | 'name'> {
  return { id, name };
}
