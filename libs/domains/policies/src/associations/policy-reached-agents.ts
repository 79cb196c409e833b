import { InheritanceService, type EntityLayers } from '@app/entity-contexts';
import { RunnableSources, type RunnableRef } from '@app/executions';
import { entityKeyOf, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { NamedOrigin, PolicyReach, ReachedAgent } from './policy-reach.types.js';

/** Maximum number of listed agents. */
const MAX_LISTED = 200;
/** Number of agents whose layers are read together. */
const AGENTS_PER_READ = 500;

/** Finds the agents to which what has an origin applies. */
@Injectable()
export class PolicyReachedAgents {
  constructor(
    private readonly inheritance: InheritanceService,
    private readonly runnables: RunnableSources,
  ) {}

  /** Examines all agents of the organization: their layers are those that their runs have. */
  async by(scope: Scope, origins: readonly NamedOrigin[]): Promise<PolicyReach['agents']> {
    const named = new Map(origins.map((origin) => [entityKeyOf(origin), origin]));
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
}

function viaOf({ layers }: EntityLayers, origins: ReadonlyMap<string, NamedOrigin>): NamedOrigin[] {
  return layers.flatMap((layer) => origins.get(entityKeyOf(layer)) ?? []);
}

function agentIn({ runnable: { id, name } }: EntityLayers): Pick<ReachedAgent, 'id' | 'name'> {
  return { id, name };
}
