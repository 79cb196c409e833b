import { EnvironmentService } from '@app/environments';
import { RunnableSources, type Runnable, type RunnableRef } from '@app/executions';
import { entityKeyOf, parseEntityTypeOrPlural, type EntityRef, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { orderLayers } from './layers.js';

/** A runnable and what it inherits from. */
export interface EntityLayers {
  readonly entity: EntityRef;
  readonly runnable: Runnable;
  /** Without duplicates, later ones take precedence; the entity itself is the last one. */
  readonly layers: readonly EntityRef[];
}

/**
 * Finds the entities from which runnables inherit. The number of statements does not depend on the number of entities.
 */
@Injectable()
export class EntityLayersService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectLookupService,
  ) {}

  /** Returns a reference to a runnable from its kind, in singular or plural, and its id. Throws `not_found`. */
  parse(word: string, id: string): RunnableRef {
    return { kind: parseEntityTypeOrPlural(word, this.runnables.kinds()), id };
  }

  /** Throws `not_found`. */
  async read(scope: Scope, ref: RunnableRef): Promise<EntityLayers> {
    return this.of(scope, await this.runnables.read(scope, ref));
  }

  async of(scope: Scope, runnable: Runnable): Promise<EntityLayers> {
    return (await this.finderFor(scope, [runnable]))(runnable);
  }

  /** Returns the layers of each runnable. Reads entities that several of them share once. */
  async ofAll(scope: Scope, runnables: readonly Runnable[]): Promise<EntityLayers[]> {
    return runnables.map(await this.finderFor(scope, runnables));
  }

  /** Returns a function for the layers of these runnables. */
  private async finderFor(scope: Scope, runnables: readonly Runnable[]): Promise<(runnable: Runnable) => EntityLayers> {
    const [found, projectIdsOf] = await Promise.all([
      this.ownersOf(scope, runnables),
      this.projects.projectIdsOf(scope, [...runnables, ...runnables.flatMap(({ memberOf }) => memberOf)]),
    ]);
    const named = await this.environments.summaries(
      scope,
      [...runnables, ...found.values()].flatMap(({ environmentIds }) => environmentIds),
    );
    const idsOf = ({ environmentIds }: Runnable): string[] =>
      environmentIds.flatMap((word) => named.get(word)?.id ?? []);
    return (runnable) => {
      const entity = toRef(runnable);
      const owners = runnable.memberOf.flatMap((ref) => found.get(entityKeyOf(toRef(ref))) ?? []);
      const layers = orderLayers({
        own: entity,
        environmentIds: idsOf(runnable),
        owners: owners.map((owner) => ({ entity: toRef(owner), environmentIds: idsOf(owner) })),
        projectIds: [runnable, ...runnable.memberOf].flatMap(projectIdsOf),
      });
      return { entity, runnable, layers };
    };
  }

  /** Returns the existing runnables that these are members of, by key. */
  private async ownersOf(scope: Scope, runnables: readonly Runnable[]): Promise<ReadonlyMap<string, Runnable>> {
    const refs = new Map(runnables.flatMap(({ memberOf }) => memberOf).map((ref) => [entityKeyOf(toRef(ref)), ref]));
    const owners = await Promise.all([...refs.values()].map((ref) => this.runnables.find(scope, ref)));
    return new Map(owners.filter((owner) => owner !== undefined).map((owner) => [entityKeyOf(toRef(owner)), owner]));
  }
}

function toRef({ kind, id }: RunnableRef): EntityRef {
  return { entity_type: kind, entity_id: id };
}
