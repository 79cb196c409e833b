import { AgentService } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import type { Scope } from '@app/kernel';
import { TeamService } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { entityNotFound, entityTypeNotFound } from './policy.errors.js';
import { ENTITY_TYPES, type PolicyEntityType, type PolicySource } from './policy.types.js';

/** An entity that policies apply to, and where it inherits from. */
export interface PolicySubject extends PolicySource {
  /** In no order; the entity itself is one of them. */
  readonly sources: readonly PolicySource[];
}

/** The type a path names. */
export function entityTypeOf(text: string): PolicyEntityType {
  const type = ENTITY_TYPES.find((known) => known === text);
  if (type === undefined) throw entityTypeNotFound();
  return type;
}

/** What policies must know of the entities, which belong to other domains. */
@Injectable()
export class PolicySubjects {
  constructor(
    private readonly agents: AgentService,
    private readonly teams: TeamService,
    private readonly environments: EnvironmentService,
  ) {}

  /**
   * The entity with what it inherits from: an agent from its environments and its team, a team from its members'
   * environments. An environment may be named. `runsIn` names further environments, of an execution about to start.
   */
  async find(scope: Scope, type: PolicyEntityType, id: string, runsIn: readonly string[] = []): Promise<PolicySubject> {
    if (type === 'environment') return this.environment(scope, id, runsIn);
    const found = type === 'agent' ? await this.agents.findRunnable(scope, id) : await this.team(scope, id);
    if (found === undefined) throw entityNotFound(type);
    const own = { entity_type: type, entity_id: found.id };
    const environments = await this.environmentIds(scope, [...found.environment_ids, ...runsIn]);
    const team = found.team_id === null ? [] : [{ entity_type: 'team' as const, entity_id: found.team_id }];
    return { ...own, sources: [...environments.map(asEnvironment), ...team, own] };
  }

  /** The id of an entity that exists, whose name may be given where it is an environment. */
  async idOf(scope: Scope, type: PolicyEntityType, id: string): Promise<string> {
    const names = type === 'environment' ? undefined : await this.namesOf(scope, type, [id]);
    const known = names === undefined ? (await this.environmentIds(scope, [id]))[0] : names.has(id) ? id : undefined;
    if (known === undefined) throw entityNotFound(type);
    return known;
  }

  /** Those of the ids that exist. */
  async existing(scope: Scope, type: PolicyEntityType, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (type === 'environment') return new Set(await this.environmentIds(scope, ids));
    return new Set((await this.namesOf(scope, type, ids)).keys());
  }

  private async environment(scope: Scope, id: string, runsIn: readonly string[]): Promise<PolicySubject> {
    const known = await this.environments.summaries(scope, [id, ...runsIn]);
    const own = known.get(id);
    if (own === undefined) throw entityNotFound('environment');
    const ids = new Set([own.id, ...runsIn.flatMap((environment) => known.get(environment)?.id ?? [])]);
    return { ...asEnvironment(own.id), sources: [...ids].map(asEnvironment) };
  }

  private async team(
    scope: Scope,
    id: string,
  ): Promise<{ id: string; team_id: null; environment_ids: readonly string[] } | undefined> {
    const team = await this.teams.findRunnable(scope, id);
    return team === undefined ? undefined : { ...team, team_id: null };
  }

  private async environmentIds(scope: Scope, idsOrNames: readonly string[]): Promise<string[]> {
    if (idsOrNames.length === 0) return [];
    const known = await this.environments.summaries(scope, idsOrNames);
    return [...new Set(idsOrNames.flatMap((environment) => known.get(environment)?.id ?? []))];
  }

  private async namesOf(
    scope: Scope,
    type: 'agent' | 'team',
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    return type === 'agent' ? this.agents.namesOf(scope, ids) : this.teams.namesOf(scope, ids);
  }
}

function asEnvironment(id: string): PolicySource {
  return { entity_type: 'environment', entity_id: id };
}
