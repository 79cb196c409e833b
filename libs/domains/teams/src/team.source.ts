import { AgentService, modelIn, type RosterMember, type TeamRoster } from '@app/agents';
import {
  changeOf,
  DEFAULT_RUNTIME,
  MAX_CANDIDATE_CAPABILITIES,
  RunnableSource,
  runtimesOf,
  sessionIn,
  timeoutMsOf,
  type AssembledRunnable,
  type CandidateQuery,
  type RunCandidate,
  type Runnable,
} from '@app/executions';
import { changedBy, Clock, DomainError, isJsonObject, type Caller, type JsonObject, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentIdsOf, rosterOf } from './team-members.js';
import { teamNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import { CANDIDATES_PER_READ } from './team.sql.js';
import type { CandidateTeam, RunnableTeam, Team } from './team.types.js';

/** The data of a team that a run needs. */
export class AssembledTeam implements AssembledRunnable {
  readonly kind = 'team';
  readonly id: string;
  /** Model of the leader of the team. */
  readonly model: string | null;
  /** Runtime of the team's leader. */
  readonly runtime: string;
  readonly timeoutMs: number | null;
  readonly execution_environment: JsonObject;
  readonly memberOf = [];
  readonly knowledge_uuids: readonly string[];
  /** The model of the leader's reasoning, if reasoning is enabled and names a model. */
  readonly furtherModels: readonly string[];

  constructor(readonly team: Team) {
    const { llm, knowledge_base, reasoning } = team.configuration;
    const reasoningModel = isJsonObject(reasoning) && reasoning['enabled'] === true ? modelIn(reasoning) : null;
    this.id = team.id;
    this.furtherModels = reasoningModel === null ? [] : [reasoningModel];
    this.model = isJsonObject(llm) ? modelIn(llm) : null;
    this.runtime = team.runtime || DEFAULT_RUNTIME;
    this.timeoutMs = timeoutMsOf(team.configuration);
    this.execution_environment = team.execution_environment;
    this.knowledge_uuids = isJsonObject(knowledge_base) ? textsIn(knowledge_base['knowledge_uuids']) : [];
  }
}

/** A team runs in its own environments and those of its members. */
@Injectable()
export class TeamSource extends RunnableSource {
  override readonly kind = 'team';
  override readonly memberOfKinds = [];
  override readonly memberKinds = ['agent'] as const;

  constructor(
    private readonly teams: TeamRepository,
    private readonly agents: AgentService,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async find(scope: Scope, id: string): Promise<Runnable | undefined> {
    const [team] = await this.teams.findRunnables(scope, [id]);
    return team === undefined ? undefined : toRunnable(team, await this.membersIn(scope, team));
  }

  /**
   * Reads the teams and, concurrently, the agents whose `team_id` is one of `ids`; then the members that configurations
   * list.
   */
  override async findByIds(scope: Scope, ids: readonly string[]): Promise<readonly Runnable[]> {
    const [teams, joined] = await Promise.all([
      this.teams.findRunnables(scope, ids),
      this.agents.runnableMembersOf(
        scope,
        ids.map((id) => ({ id, memberIds: [] })),
      ),
    ]);
    const listing = teams.map(rosterOf).filter(({ memberIds }) => memberIds.length > 0);
    const listed = await this.agents.runnableMembersOf(scope, listing);
    return teams.map((team) => toRunnable(team, listed.get(team.id) ?? joined.get(team.id) ?? []));
  }

  override async membersOf(scope: Scope, id: string): Promise<readonly Runnable[]> {
    const [team] = await this.teams.findRunnables(scope, [id]);
    return team === undefined ? [] : this.membersIn(scope, team);
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.teams.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  override async markUpdated(caller: Caller, id: string): Promise<string> {
    const changes = { ...changedBy(caller), updated_at: this.clock.now() };
    if ((await this.teams.update(caller, id, changes)) === undefined) throw teamNotFound();
    return id;
  }

  override async idsNamed(scope: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.teams.idsNamed(scope, words);
  }

  override async assemble(scope: Scope, id: string): Promise<AssembledTeam | undefined> {
    const team = await this.teams.find(scope, id);
    return team === undefined ? undefined : new AssembledTeam(team);
  }

  /** A single team is always returned, however large it is. */
  override async assembleByIds(scope: Scope, ids: readonly string[]): Promise<readonly AssembledRunnable[]> {
    if (ids.length < 2) return super.assembleByIds(scope, ids);
    return (await this.teams.findAll(scope, ids)).map((team) => new AssembledTeam(team));
  }

  private async membersIn(scope: Scope, team: RunnableTeam): Promise<readonly Runnable[]> {
    return (await this.agents.runnableMembersOf(scope, [rosterOf(team)])).get(team.id) ?? [];
  }

  /** Returns active and idle teams, with the capabilities of their members. */
  override async candidates(scope: Scope, query: CandidateQuery): Promise<readonly RunCandidate[]> {
    if (query.only !== undefined && query.only.kind !== this.kind) return [];
    const teams = await this.teams.findCandidates(scope, query);
    const candidates: RunCandidate[] = [];
    for (let read = 0; read < teams.length && candidates.length < query.limit; read += CANDIDATES_PER_READ) {
      candidates.push(...(await this.candidatesAmong(scope, teams.slice(read, read + CANDIDATES_PER_READ), query)));
    }
    return candidates.slice(0, query.limit);
  }

  /** Returns those of the teams that may run in the environment of the query, as candidates. */
  private async candidatesAmong(
    scope: Scope,
    teams: readonly CandidateTeam[],
    { environment }: CandidateQuery,
  ): Promise<RunCandidate[]> {
    const found = await this.teams.findRunnables(
      scope,
      teams.map(({ id }) => id),
    );
    const runnables = new Map(found.map((team) => [team.id, team]));
    const members = await this.rostersOf(scope, found.map(rosterOf));
    return teams.flatMap(({ id, name, description, rank, used_at }) => {
      const [team, ofTeam] = [runnables.get(id), members.get(id)];
      if (team === undefined || ofTeam === undefined) return [];
      const environments = environmentIdsOf(
        team,
        ofTeam.map(({ environment_ids: environmentIds }) => ({ environmentIds })),
      );
      if (environments.length > 0 && !environments.some((word) => environment.includes(word))) return [];
      const capabilities = [...new Set(ofTeam.flatMap((member) => member.capabilities))];
      const shown = capabilities.slice(0, MAX_CANDIDATE_CAPABILITIES);
      return [{ kind: this.kind, id, name, description, capabilities: shown, rank, used_at }];
    });
  }

  /** Returns the members of the teams. Omits teams whose members exceed the size limit of a read: they cannot start. */
  private async rostersOf(
    scope: Scope,
    rosters: readonly TeamRoster[],
  ): Promise<ReadonlyMap<string, readonly RosterMember[]>> {
    try {
      return await this.agents.rostersOf(scope, rosters);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
    if (rosters.length < 2) return new Map();
    const half = Math.ceil(rosters.length / 2);
    const first = await this.rostersOf(scope, rosters.slice(0, half));
    return new Map([...first, ...(await this.rostersOf(scope, rosters.slice(half)))]);
  }
}

/** Returns whether rows exceed the size limit of a read. */
function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'related_data_too_large';
}

function toRunnable(team: RunnableTeam, members: readonly Runnable[]): Runnable {
  return {
    kind: 'team',
    id: team.id,
    name: team.name,
    environmentIds: environmentIdsOf(team, members),
    memberOf: [],
    lastActiveAt: null,
    callable: members.map(({ id }) => id),
    runtime: team.runtime || DEFAULT_RUNTIME,
    calledRuntimes: runtimesOf(members),
    session: sessionIn(team.configuration['session']),
    changes: [changeOf({ kind: 'team', id: team.id }, team), ...members.flatMap(({ changes }) => changes)],
  };
}

/** Returns the texts of a list in a configuration, which is stored as sent. */
function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
