import { readInHalves } from '@app/database';
import { RunnableSources, type Runnable, type RunnableRef } from '@app/executions';
import { distinctBy, entityKeyOf, type EntityRef, type Scope } from '@app/kernel';
import { ProjectLookupService, type RunDefaults } from '@app/projects';
import { mergeSkills, SkillAssociationService, type ResolvedSkill } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { EntityContextRepository } from './entity-context.repository.js';
import type { ContextLayer, ContextLists, ResolvedContext } from './entity-context.types.js';
import { EntityLayersService, type EntityLayers } from './entity-layers.service.js';
import { mergeLists } from './layers.js';

/** What a run receives in addition to its runnable, from all layers. */
export interface InheritedByRun {
  readonly defaults: RunDefaults;
  /** The enabled skills. */
  readonly skills: readonly ResolvedSkill[];
  readonly context: ContextLists;
}

type InheritingRef = RunnableRef & Pick<Runnable, 'memberOf'>;

/** What a run without a runnable inherits. */
export const NOTHING: InheritedByRun = {
  defaults: { model: null, environments: [] },
  skills: [],
  context: { knowledge_uuids: [], resource_ids: [], policy_ids: [] },
};

/** Resolves the context and the skills that a runnable has after all layers. */
@Injectable()
export class InheritanceService {
  constructor(
    private readonly layers: EntityLayersService,
    private readonly contexts: EntityContextRepository,
    private readonly skills: SkillAssociationService,
    private readonly runnables: RunnableSources,
    private readonly projects: ProjectLookupService,
  ) {}

  /** Throws `not_found` for an unknown type or entity. */
  async context(scope: Scope, type: string, id: string): Promise<ResolvedContext> {
    const ref = this.layers.parse(type, id);
    const { rows, ...layers } = await this.layers.readWith(scope, ref, (all) =>
      this.contexts.findByEntities(scope, all),
    );
    return resolve(layers, rows);
  }

  /** Throws `not_found` for an unknown type or entity. */
  async resolvedSkills(scope: Scope, type: string, id: string): Promise<ResolvedSkill[]> {
    const ref = this.layers.parse(type, id);
    const { rows, entity, layers } = await this.layers.readWith(scope, ref, (all) =>
      this.skills.byEntities(scope, all),
    );
    return mergeSkills(layers, entity, rows);
  }

  /**
   * Returns what a run inherits from each of the runnables, in their order. The number of statements does not depend on
   * the number of runnables. If the organization has no skills, reading them costs only one statement. The same holds for
   * its contexts.
   */
  async ofRuns(scope: Scope, refs: readonly InheritingRef[]): Promise<readonly InheritedByRun[]> {
    return readInHalves(refs, (some) => this.ofRunsTogether(scope, some));
  }

  /** Returns false only if no context of the organization names a policy. */
  async policiesMayApply(scope: Scope): Promise<boolean> {
    return (await this.contexts.any(scope)).with_policies;
  }

  /** Returns the contexts with policies of `entities` and of the layers of the runnables, in this order. */
  async contextsWithPolicies(
    scope: Scope,
    entities: readonly EntityRef[],
    runnables: readonly Runnable[],
  ): Promise<readonly ContextLayer[]> {
    if (!(await this.policiesMayApply(scope))) return [];
    const layers = (await this.layers.ofAll(scope, runnables)).flatMap((one) => one.layers);
    const all = distinctBy([...entities, ...layers], entityKeyOf);
    const stored = new Map(
      (await this.contexts.findByEntities(scope, all)).map((context) => [entityKeyOf(context), context]),
    );
    return all
      .flatMap((entity) => stored.get(entityKeyOf(entity)) ?? [])
      .filter(({ policy_ids }) => policy_ids.length > 0);
  }

  /** Returns the layers of those runnables that exist, in any order. */
  async layersOf(scope: Scope, refs: readonly RunnableRef[]): Promise<readonly EntityLayers[]> {
    return readInHalves(refs, async (some) => {
      const found = await this.runnables.findByRefs(scope, some);
      return this.layers.ofAll(scope, [...found.values()]);
    });
  }

  /** Returns up to `limit` entities whose own contexts name the policy. */
  async entitiesWithPolicy(scope: Scope, policyId: string, limit: number): Promise<readonly EntityRef[]> {
    return this.contexts.findWithPolicy(scope, policyId, limit);
  }

  private async ofRunsTogether(scope: Scope, refs: readonly InheritingRef[]): Promise<readonly InheritedByRun[]> {
    const [defaults, hasSkills, { present: hasContexts }] = await Promise.all([
      this.projects.runDefaultsOfAll(scope, refs),
      this.skills.any(scope),
      this.contexts.any(scope),
    ]);
    const found = hasSkills || hasContexts ? await this.runnables.findByRefs(scope, refs) : new Map<string, Runnable>();
    const layers = await this.layers.ofAll(scope, [...found.values()]);
    const all = distinctBy(
      layers.flatMap((one) => one.layers),
      entityKeyOf,
    );
    const [skills, contexts] = await Promise.all([
      hasSkills ? this.skills.byEntities(scope, all) : [],
      hasContexts && all.length > 0 ? this.contexts.findByEntities(scope, all) : [],
    ]);
    const layersOf = new Map(layers.map((one) => [entityKeyOf(one.entity), one]));
    return refs.map(({ kind, id }, index) => {
      const ownDefaults = defaults[index] ?? NOTHING.defaults;
      const own = layersOf.get(entityKeyOf({ entity_type: kind, entity_id: id }));
      if (own === undefined) return { ...NOTHING, defaults: ownDefaults };
      const merged = mergeSkills(own.layers, own.entity, skills);
      return {
        defaults: ownDefaults,
        skills: merged.filter(({ enabled }) => enabled),
        context: listsOf(resolve(own, contexts)),
      };
    });
  }
}

/** `stored`: the contexts of the layers, in any order. A layer without a stored context has an empty one. */
function resolve({ entity, layers }: EntityLayers, stored: readonly ContextLayer[]): ResolvedContext {
  const byKey = new Map(stored.map((context) => [entityKeyOf(context), context]));
  const breakdown = layers.map((layer) => byKey.get(entityKeyOf(layer)) ?? emptyLayer(layer));
  const firstOf = (type: string): string | null =>
    layers.find(({ entity_type }) => entity_type === type)?.entity_id ?? null;
  return {
    ...entity,
    environment_id: firstOf('environment'),
    team_id: firstOf('team'),
    project_id: firstOf('project'),
    knowledge_uuids: mergeLists(breakdown.map(({ knowledge_uuids }) => knowledge_uuids)),
    resource_ids: mergeLists(breakdown.map(({ resource_ids }) => resource_ids)),
    policy_ids: mergeLists(breakdown.map(({ policy_ids }) => policy_ids)),
    layers: breakdown,
  };
}

function listsOf({ knowledge_uuids, resource_ids, policy_ids }: ContextLists): ContextLists {
  return { knowledge_uuids, resource_ids, policy_ids };
}

function emptyLayer({ entity_type, entity_id }: EntityRef): ContextLayer {
  return { entity_type, entity_id, knowledge_uuids: [], resource_ids: [], policy_ids: [] };
}
