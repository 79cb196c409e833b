import { AgentService, modelIn } from '@app/agents';
import { RunnableSource, timeoutMsOf, type AssembledRunnable, type Runnable } from '@app/executions';
import { isJsonObject, type JsonObject, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentIdsOf, rosterOf } from './team-members.js';
import { TeamRepository } from './team.repository.js';
import type { Team } from './team.types.js';

/** What a run reads of its team. */
export class AssembledTeam implements AssembledRunnable {
  readonly kind = 'team';
  readonly id: string;
  /** Model of the team's leader. */
  readonly model: string | null;
  readonly timeoutMs: number | null;
  readonly execution_environment: JsonObject;
  readonly memberOf = [];
  readonly knowledge_uuids: readonly string[];
  /** The model of the leader's reasoning, if that is enabled and names one. */
  readonly furtherModels: readonly string[];

  constructor(readonly team: Team) {
    const { llm, knowledge_base, reasoning } = team.configuration;
    const reasoningModel = isJsonObject(reasoning) && reasoning['enabled'] === true ? modelIn(reasoning) : null;
    this.id = team.id;
    this.furtherModels = reasoningModel === null ? [] : [reasoningModel];
    this.model = isJsonObject(llm) ? modelIn(llm) : null;
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
  ) {
    super();
  }

  override async find(scope: Scope, id: string): Promise<Runnable | undefined> {
    const team = await this.teams.find(scope, id);
    if (team === undefined) return undefined;
    const members = await this.agents.runnableMembersOf(scope, rosterOf(team));
    const environmentIds = environmentIdsOf(team, members);
    const callable = members.map((member) => member.id);
    return { kind: this.kind, id, name: team.name, environmentIds, memberOf: [], lastActiveAt: null, callable };
  }

  override async membersOf(scope: Scope, id: string): Promise<readonly Runnable[]> {
    const team = await this.teams.find(scope, id);
    return team === undefined ? [] : this.agents.runnableMembersOf(scope, rosterOf(team));
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.teams.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  override async idsNamed(scope: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.teams.idsNamed(scope, words);
  }

  override async assemble(scope: Scope, id: string): Promise<AssembledTeam | undefined> {
    const team = await this.teams.find(scope, id);
    return team === undefined ? undefined : new AssembledTeam(team);
  }
}

/** Returns the texts of a list in a configuration, which is stored as sent. */
function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
