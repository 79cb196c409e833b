import { EnvironmentService } from '@app/environments';
import { RunnableSources, type Runnable, type RunnableRef } from '@app/executions';
import { parseEntityTypeOrPlural, type EntityRef, type Scope } from '@app/kernel';
import { ProjectMembershipService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { mergeLists, orderLayers } from './layers.js';

/** A runnable and what it inherits from. */
export interface EntityLayers {
  readonly entity: EntityRef;
  readonly runnable: Runnable;
  /** Without duplicates, later ones take precedence; the entity itself is the last one. */
  readonly layers: readonly EntityRef[];
  /** Ids of its own environments, then of those of its owners. */
  readonly environmentIds: readonly string[];
}

/** Finds what runnables inherit from, with a number of statements that does not depend on how much it is. */
@Injectable()
export class EntityLayersService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectMembershipService,
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
    const [found, projectIds] = await Promise.all([
      Promise.all(runnable.memberOf.map((ref) => this.runnables.find(scope, ref))),
      this.projectIdsOf(scope, [runnable, ...runnable.memberOf]),
    ]);
    const owners = found.filter((owner) => owner !== undefined);
    const named = await this.environments.summaries(
      scope,
      [runnable, ...owners].flatMap(({ environmentIds }) => environmentIds),
    );
    const idsOf = ({ environmentIds }: Runnable): string[] =>
      environmentIds.flatMap((word) => named.get(word)?.id ?? []);
    const entity = toRef(runnable);
    const layers = orderLayers({
      own: entity,
      environmentIds: idsOf(runnable),
      owners: owners.map((owner) => ({ entity: toRef(owner), environmentIds: idsOf(owner) })),
      projectIds,
    });
    return { entity, runnable, layers, environmentIds: mergeLists([runnable, ...owners].map(idsOf)) };
  }

  /** One look-up per kind. */
  private async projectIdsOf(scope: Scope, refs: readonly RunnableRef[]): Promise<string[]> {
    const lists = refs.map(async ({ kind, id }) => (await this.projects.projectsOf(scope, kind, [id])).get(id) ?? []);
    return (await Promise.all(lists)).flat().map(({ id }) => id);
  }
}

function toRef({ kind, id }: RunnableRef): EntityRef {
  return { entity_type: kind, entity_id: id };
}
