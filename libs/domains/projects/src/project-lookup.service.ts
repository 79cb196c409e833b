import { runnablesIn, type ExecutionType, type Runnable, type RunnableRef } from '@app/executions';
import { distinctBy, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ProjectMemberRepository } from './project-member.repository.js';
import { runDefaultsOf } from './run-defaults.js';
import type {
  MemberCounts,
  Project,
  ProjectLayer,
  ProjectPolicies,
  ProjectRestriction,
  ProjectSummary,
  RunDefaults,
} from './project.types.js';

/** A runnable with the runnables of which it is a member, because it also belongs to their projects. */
type Member = RunnableRef & Pick<Runnable, 'memberOf'>;

/** Reads the projects of runnables for other domains. */
@Injectable()
export class ProjectLookupService {
  constructor(private readonly members: ProjectMemberRepository) {}

  /** Returns the number of members of each project by kind; every project has an entry. */
  async countsOf(scope: Scope, projectIds: readonly string[]): Promise<ReadonlyMap<string, MemberCounts>> {
    const counts = new Map(projectIds.map((id) => [id, new Map<ExecutionType, number>()]));
    if (projectIds.length === 0) return counts;
    for (const { project_id, kind, members } of await this.members.countsOf(scope, projectIds)) {
      counts.get(project_id)?.set(kind, members);
    }
    return counts;
  }

  /**
   * Returns the projects of each of these runnables, in the order in which the runnable was added to them. Every
   * runnable has an entry.
   */
  async projectsOf(
    scope: Scope,
    kind: ExecutionType,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ProjectSummary[]>> {
    const projects = new Map<string, ProjectSummary[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return projects;
    const members = [...projects.keys()].map((id) => ({ kind, id }));
    for (const { kind: _kind, entity_id, ...project } of await this.members.projectsOf(scope, members)) {
      projects.get(entity_id)?.push(project);
    }
    return projects;
  }

  /**
   * Returns a function that returns the ids of the projects of a runnable, in the order in which the runnable was added
   * to them.
   */
  async projectIdsOf(scope: Scope, refs: readonly RunnableRef[]): Promise<(ref: RunnableRef) => readonly string[]> {
    const distinct = distinctBy(refs, keyOf);
    const ids = new Map<string, string[]>(distinct.map((ref) => [keyOf(ref), []]));
    const found = distinct.length === 0 ? [] : await this.members.projectsOf(scope, distinct);
    for (const { kind, entity_id, id } of found) ids.get(keyOf({ kind, id: entity_id }))?.push(id);
    return (ref) => ids.get(keyOf(ref)) ?? [];
  }

  /**
   * Returns, for each project of the runnable that restricts the environments of its runs, the list of allowed
   * environments as ids or names. A run must satisfy all lists, including those of the runnables in its definition.
   * Without lists, there is no restriction.
   */
  async restrictionsOf(
    scope: Scope,
    runnable: Member & Pick<Runnable, 'definition'>,
  ): Promise<readonly (readonly string[])[]> {
    const called = runnable.definition === undefined ? [] : runnablesIn(runnable.definition);
    const restrictions = await this.members.restrictionsOf(scope, [runnable, ...runnable.memberOf, ...called]);
    return restrictions.map(environmentsIn);
  }

  /** Returns the runnables of a project; none if there is no such project. Throws `conflict` if they are too large. */
  async membersOf(scope: Scope, projectId: string): Promise<readonly RunnableRef[]> {
    return this.members.refsOf(scope, projectId);
  }

  /**
   * Returns the members of all projects whose restrictions exclude this environment, which is given by its id and name.
   */
  async excludedFrom(scope: Scope, environment: readonly string[]): Promise<readonly RunnableRef[]> {
    const members = await this.members.restrictedMembers(scope);
    const excluded = members.filter((member) => !environmentsIn(member).some((word) => environment.includes(word)));
    return excluded.map(({ kind, entity_id: id }) => ({ kind, id }));
  }

  /**
   * Returns the defaults that the projects of the runnable add to its runs. Its own projects precede the projects of
   * the runnables of which it is a member.
   */
  async runDefaultsOf(scope: Scope, runnable: Member): Promise<RunDefaults> {
    const [defaults] = await this.runDefaultsOfAll(scope, [runnable]);
    return defaults ?? runDefaultsOf([]);
  }

  /** Returns the defaults of each runnable, as `runDefaultsOf` does, in the given order. Runs one statement. */
  async runDefaultsOfAll(scope: Scope, runnables: readonly Member[]): Promise<readonly RunDefaults[]> {
    const refs = distinctBy(
      runnables.flatMap((runnable) => [runnable, ...runnable.memberOf]),
      keyOf,
    );
    const layers = new Map<string, ProjectLayer[]>(refs.map((ref) => [keyOf(ref), []]));
    for (const { kind, entity_id, ...layer } of await this.members.layersOf(scope, refs)) {
      layers.get(keyOf({ kind, id: entity_id }))?.push(layer);
    }
    return runnables.map((runnable) =>
      runDefaultsOf([runnable, ...runnable.memberOf].flatMap((ref) => layers.get(keyOf(ref)) ?? [])),
    );
  }

  /**
   * Returns the projects of the runnables that name policies, each once. The own projects of a runnable precede those
   * of the runnables of which it is a member.
   */
  async policiesOf(scope: Scope, runnables: readonly Member[]): Promise<readonly ProjectPolicies[]> {
    if (runnables.length === 0) return [];
    const refs = runnables.flatMap((runnable) => [runnable, ...runnable.memberOf]);
    const distinct = distinctBy(refs, keyOf);
    return distinctBy(await this.members.policiesOf(scope, distinct), ({ id }) => id);
  }

  /** Returns false only if no project with policies has the runnable, or any runnable of these kinds, as a member. */
  async policiesMayApply(scope: Scope, runnable: RunnableRef, kinds: readonly ExecutionType[]): Promise<boolean> {
    return this.members.policiesMayApply(scope, runnable, kinds);
  }

  /** Returns up to `limit` projects that name the policy, in the alphabetical order of their keys. */
  async withPolicy(
    scope: Scope,
    policyId: string,
    limit: number,
  ): Promise<readonly Pick<Project, 'id' | 'key' | 'name'>[]> {
    return this.members.findWithPolicy(scope, policyId, limit);
  }
}

/** Returns the environments that a restriction allows, as ids or names. */
function environmentsIn({ environment_ids: ids }: ProjectRestriction): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
}

function keyOf({ kind, id }: RunnableRef): string {
  return `${kind}:${id}`;
}
