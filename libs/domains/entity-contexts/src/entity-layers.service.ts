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
  /** Contains no duplicates. Later layers take precedence; the entity itself is the last one. */
  readonly layers: readonly EntityRef[];
}

type IdOf = (idOrName: string) => string | undefined;

/** The teams and projects from which a list of runnables inherits. */
interface Related {
  /** The existing runnables of which the listed ones are members, by `entityKeyOf`. */
  readonly owners: ReadonlyMap<string, Runnable>;
  readonly projectIdsOf: (ref: RunnableRef) => readonly string[];
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

  /** Returns a reference to a runnable, from its kind in singular or plural. Throws `not_found` for an unknown kind. */
  parse(word: string, id: string): RunnableRef {
    return { kind: parseEntityTypeOrPlural(word, this.runnables.kinds()), id };
  }

  /**
   * Returns the layers of a runnable and the rows that `rowsOf` returns for them. A runnable refers to its environments
   * by id or name. To save a round trip, `rowsOf` is called while the names are looked up, as if all of them were ids,
   * and called again only for the environments that are referred to by name. Throws `not_found`.
   */
  async readWith<Row>(
    scope: Scope,
    ref: RunnableRef,
    rowsOf: (layers: readonly EntityRef[]) => Promise<readonly Row[]>,
  ): Promise<EntityLayers & { readonly rows: readonly Row[] }> {
    const found = await this.runnables.findByRefs(scope, [ref]);
    // `read` always throws here: the runnable does not exist.
    const runnable = found.get(entityKeyOf(toRef(ref))) ?? (await this.runnables.read(scope, ref));
    const { related, environmentIds } = this.relatedTo(scope, [runnable]);
    const expected = related.then((all) => layersOf(runnable, all, (word) => word).layers);
    const [all, idOf, expectedLayers, rows] = await Promise.all([
      related,
      environmentIds,
      expected,
      expected.then(rowsOf),
    ]);
    const layers = layersOf(runnable, all, idOf);
    const read = new Set(expectedLayers.map(entityKeyOf));
    const others = layers.layers.filter((layer) => !read.has(entityKeyOf(layer)));
    return { ...layers, rows: others.length === 0 ? rows : [...rows, ...(await rowsOf(others))] };
  }

  /** Returns the layers of each runnable. Entities that several runnables share are read once. */
  async ofAll(scope: Scope, runnables: readonly Runnable[]): Promise<EntityLayers[]> {
    if (runnables.length === 0) return [];
    const { related, environmentIds } = this.relatedTo(scope, runnables);
    const [all, idOf] = await Promise.all([related, environmentIds]);
    return runnables.map((runnable) => layersOf(runnable, all, idOf));
  }

  /** Starts the reads of the owners and the projects of the runnables and, once the owners are known, of the environments. */
  private relatedTo(
    scope: Scope,
    runnables: readonly Runnable[],
  ): { related: Promise<Related>; environmentIds: Promise<IdOf> } {
    const refs = runnables.flatMap(({ memberOf }) => memberOf);
    const owners = this.runnables.findByRefs(scope, refs);
    const related = Promise.all([owners, this.projects.projectIdsOf(scope, [...runnables, ...refs])]);
    const environmentIds = owners.then(async (found) => {
      const words = [...runnables, ...found.values()].flatMap((runnable) => runnable.environmentIds);
      const named = await this.environments.summaries(scope, words);
      return (word: string) => named.get(word)?.id;
    });
    return { related: related.then(([found, projectIdsOf]) => ({ owners: found, projectIdsOf })), environmentIds };
  }
}

/** `idOf` returns the id of the environment with an id or name; undefined if it does not exist. */
function layersOf(runnable: Runnable, { owners: found, projectIdsOf }: Related, idOf: IdOf): EntityLayers {
  const idsOf = ({ environmentIds }: Runnable): string[] => environmentIds.flatMap((word) => idOf(word) ?? []);
  const owners = runnable.memberOf.flatMap((ref) => found.get(entityKeyOf(toRef(ref))) ?? []);
  const entity = toRef(runnable);
  const layers = orderLayers({
    own: entity,
    environmentIds: idsOf(runnable),
    owners: owners.map((owner) => ({ entity: toRef(owner), environmentIds: idsOf(owner) })),
    projectIds: [runnable, ...runnable.memberOf].flatMap(projectIdsOf),
  });
  return { entity, runnable, layers };
}

function toRef({ kind, id }: RunnableRef): EntityRef {
  return { entity_type: kind, entity_id: id };
}
