import { EntityResolvers } from '@app/database';
import { EnvironmentService } from '@app/environments';
import { RunnableSources, type ExecutionType, type Runnable, type RunDefinition } from '@app/executions';
import { distinctBy, entityKeyOf, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ENTITY_TYPES, type PolicyEntityType, type PolicySource } from '../policies/policy.types.js';

/** An entity, with everything whose policies apply to it. */
export interface PolicySubject {
  /** Contains the id even if the entity was given by name. */
  readonly entity: PolicySource;
  /** The entity and everything from which it inherits policies, in any order. */
  readonly sources: readonly PolicySource[];
  /**
   * The runnables among the sources. Their projects and contexts can name further policies. Empty for an environment.
   */
  readonly runnables: readonly Runnable[];
}

/** The runnable and the assigned environment of an execution that has not started. */
export interface PolicyRun {
  readonly executionType: ExecutionType;
  readonly entityId: string | null;
  readonly environmentId: string | null;
  /**
   * The definition that the execution follows; absent or null: the current definition of the runnable, if its kind has
   * one.
   */
  readonly definition?: RunDefinition | null;
  /** Ids of the members that the execution may call; absent: the current members. */
  readonly callable?: readonly string[] | undefined;
}

/** Finds the entities that policies apply to: environments, and runnables of the kinds in `ENTITY_TYPES`. */
@Injectable()
export class PolicySubjects {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly entities: EntityResolvers,
  ) {}

  /** Throws `not_found`. An environment can be given by its name. */
  async find(scope: Scope, type: PolicyEntityType, id: string): Promise<PolicySubject> {
    const runnable = await this.runnables.findEntity(scope, { entity_type: type, entity_id: id });
    const entity_id = runnable?.id ?? (await this.entities.resolveId(scope, type, id));
    const entity = { entity_type: type, entity_id };
    if (runnable === undefined) return { entity, sources: [entity], runnables: [] };
    return { entity, sources: await this.sourcesOf(scope, [runnable], []), runnables: [runnable] };
  }

  /**
   * Returns the entities whose policies apply to an execution: the runnable, each member that it may call, everything
   * from which these inherit policies, and the assigned environment. An unknown runnable has no associations and is
   * omitted.
   */
  async findForRun(scope: Scope, run: PolicyRun): Promise<Omit<PolicySubject, 'entity'>> {
    const { executionType: kind, entityId: id, environmentId, definition } = run;
    const assigned = environmentId === null ? [] : [environmentId];
    const runnable = id === null ? undefined : await this.runnables.find(scope, { kind, id });
    if (runnable === undefined) return { sources: await this.sourcesOf(scope, [], assigned), runnables: [] };
    const followed = definition ?? runnable.definition ?? null;
    const callable = run.callable ?? null;
    const members = await this.runnables.membersOf(scope, { ...runnable, definition: followed, callable });
    const runnables = [runnable, ...members];
    return { sources: await this.sourcesOf(scope, runnables, assigned), runnables };
  }

  private async sourcesOf(
    scope: Scope,
    runnables: readonly Runnable[],
    assigned: readonly string[],
  ): Promise<readonly PolicySource[]> {
    const words = [...runnables.flatMap(({ environmentIds }) => environmentIds), ...assigned];
    const environmentIds = await this.environmentIds(scope, words);
    const refs = runnables.flatMap((runnable) => [...runnable.memberOf, runnable]);
    const sources = refs.flatMap(({ kind, id }) => asSource(kind, id) ?? []);
    return [...environmentIds.map(asEnvironment), ...distinctBy(sources, entityKeyOf)];
  }

  private async environmentIds(scope: Scope, idsOrNames: readonly string[]): Promise<string[]> {
    if (idsOrNames.length === 0) return [];
    const found = await this.environments.summaries(scope, idsOrNames);
    return [...new Set(idsOrNames.flatMap((idOrName) => found.get(idOrName)?.id ?? []))];
  }
}

export function asEnvironment(id: string): PolicySource {
  return { entity_type: 'environment', entity_id: id };
}

/** Returns undefined for kinds with which policies cannot be associated. */
export function asSource(kind: ExecutionType, id: string): PolicySource | undefined {
  const entity_type = ENTITY_TYPES.find((type) => type === kind);
  return entity_type === undefined ? undefined : { entity_type, entity_id: id };
}
