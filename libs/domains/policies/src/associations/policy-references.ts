import { InheritanceService } from '@app/entity-contexts';
import type { ExecutionType, Runnable, RunnableRef } from '@app/executions';
import type { Scope } from '@app/kernel';
import { PolicyLookup, ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { PolicyRepository } from '../policies/policy.repository.js';
import { ORIGIN_TYPES, type PolicyOrigin, type PolicyReference, type PolicySource } from '../policies/policy.types.js';

/** What names a policy; the name is null if this domain does not know it. */
export interface NamedReference {
  readonly origin: PolicyOrigin;
  readonly name: string | null;
}

/** Maximum number of users of a policy that an error message lists. */
const MAX_USERS = 10;

/**
 * The policies that other domains name in their own rows, in addition to the associations: `policy_ids` of projects and
 * contexts.
 */
@Injectable()
export class PolicyReferences {
  constructor(
    private readonly projects: ProjectLookupService,
    private readonly inheritance: InheritanceService,
  ) {}

  /**
   * Returns the policies that the projects of the runnables name, and those that the contexts of their layers and of `sources`
   * name. A policy may occur twice.
   */
  async find(
    scope: Scope,
    runnables: readonly Runnable[],
    sources: readonly PolicySource[],
  ): Promise<readonly PolicyReference[]> {
    const [projects, contexts] = await Promise.all([
      this.projects.policiesOf(scope, runnables),
      this.inheritance.contextsWithPolicies(scope, sources, runnables),
    ]);
    const ofProjects = projects.flatMap(({ id, policy_ids: ids }) => referencesOf('project', id, ids));
    const ofContexts = contexts.flatMap(({ entity_type: type, entity_id, policy_ids: ids }) => {
      const origin = ORIGIN_TYPES.find((one) => one === type);
      return origin === undefined ? [] : referencesOf(origin, entity_id, ids);
    });
    return [...ofProjects, ...ofContexts];
  }

  /**
   * If this returns false, `find` returns nothing for this runnable and other runnables of `kinds`, whatever the
   * `sources`. `kinds` are the kinds that can have this runnable as a member, and the kinds of its members.
   */
  async mayApply(scope: Scope, runnable: RunnableRef | undefined, kinds: readonly ExecutionType[]): Promise<boolean> {
    const found = await Promise.all([
      runnable !== undefined && this.projects.policiesMayApply(scope, runnable, kinds),
      this.inheritance.policiesMayApply(scope),
    ]);
    return found.includes(true);
  }

  /** Returns the projects, and the entities with contexts, that name the policy: up to `limit` of each. */
  async naming(scope: Scope, policyId: string, limit: number): Promise<readonly NamedReference[]> {
    const [projects, entities] = await Promise.all([
      this.projects.withPolicy(scope, policyId, limit),
      this.inheritance.entitiesWithPolicy(scope, policyId, limit),
    ]);
    const ofProjects = projects.map(({ id, name }): NamedReference => ({ origin: originOf('project', id), name }));
    const ofContexts = entities.flatMap(({ entity_type: type, entity_id }): NamedReference[] => {
      const origin = ORIGIN_TYPES.find((one) => one === type);
      return origin === undefined ? [] : [{ origin: originOf(origin, entity_id), name: null }];
    });
    return [...ofProjects, ...ofContexts];
  }

  /** Returns descriptions of what names the policy, up to a limit, for error messages. */
  async usersOf(scope: Scope, policyId: string): Promise<readonly string[]> {
    const projects = await this.projects.withPolicy(scope, policyId, MAX_USERS);
    const entities = await this.inheritance.entitiesWithPolicy(scope, policyId, MAX_USERS);
    const contexts = entities.map(({ entity_type: type, entity_id: id }) => `the context of the ${type} ${id}`);
    return [...projects.map(({ key }) => `the project ${key}`), ...contexts].slice(0, MAX_USERS);
  }
}

function originOf(entity_type: PolicyOrigin['entity_type'], entity_id: string): PolicyOrigin {
  return { entity_type, entity_id };
}

function referencesOf(
  entity_type: PolicyReference['origin']['entity_type'],
  entity_id: string,
  ids: readonly string[],
): PolicyReference[] {
  return ids.map((policy_id) => ({ policy_id, origin: { entity_type, entity_id } }));
}

/** Lets projects and contexts check the policies that they name. */
@Injectable()
export class StoredPolicyLookup extends PolicyLookup {
  constructor(private readonly policies: PolicyRepository) {
    super();
  }

  override async lockExisting(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.policies.lockExisting(scope, ids);
  }
}
