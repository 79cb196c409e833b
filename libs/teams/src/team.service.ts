import { AgentService, type Agent } from '@app/agents';
import { Database } from '@app/database';
import { Clock, entryOf, newId, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { teamNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { CreateTeam, RunnableTeam, StoredTeam, Team, TeamFields, TeamFilter, UpdateTeam } from './team.types.js';

/** What a team is where the client does not say. */
const DEFAULTS: Omit<TeamFields, 'name'> = {
  description: null,
  status: 'active',
  configuration: {},
  runtime: null,
  skill_ids: [],
  execution_environment: {},
};

@Injectable()
export class TeamService {
  constructor(
    private readonly teams: TeamRepository,
    private readonly agents: AgentService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateTeam): Promise<Team> {
    const now = this.clock.now();
    const team = { ...DEFAULTS, ...request, id: newId(), created_at: now, updated_at: now };
    return { ...(await this.teams.insert(scope, team)), agents: [] };
  }

  async list(scope: Scope, filter: TeamFilter, page: Page): Promise<Listed<Team>> {
    const { items, total } = await this.teams.list(scope, filter, page);
    const ids = items.map(({ id }) => id);
    const members = await this.agents.membersOf(scope, ids);
    return { items: items.map((team) => ({ ...team, agents: entryOf(members, team.id) })), total };
  }

  async read(scope: Scope, id: string): Promise<Team> {
    const team = await this.teams.find(scope, id);
    if (team === undefined) throw teamNotFound();
    return this.complete(scope, team);
  }

  /** The team an agent is a member of, without its members; undefined also when it names one that does not exist. */
  async teamOf(scope: Scope, agent: Pick<Agent, 'team_id'>): Promise<StoredTeam | undefined> {
    return agent.team_id === null ? undefined : this.teams.find(scope, agent.team_id);
  }

  /** Ids or names of the environments of the team, which are those of its members, the oldest member's first. */
  async environmentIdsOf(scope: Scope, id: string): Promise<readonly string[]> {
    return this.agents.environmentIdsOfMembers(scope, id);
  }

  /** For whoever starts a run of it; undefined when there is no such team. */
  async findRunnable(scope: Scope, id: string): Promise<RunnableTeam | undefined> {
    const team = await this.teams.find(scope, id);
    if (team === undefined) return undefined;
    return { id, name: team.name, environment_ids: await this.environmentIdsOf(scope, id) };
  }

  /** The names of those that exist, by id. */
  async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.teams.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  async update(scope: Scope, id: string, changes: UpdateTeam): Promise<Team> {
    const updated = await this.teams.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw teamNotFound();
    return this.complete(scope, updated);
  }

  /** An agent is in one team at most: it leaves the one it was in. */
  async addAgent(scope: Scope, id: string, agentId: string): Promise<Team> {
    return this.changeMembers(scope, id, () => this.agents.joinTeam(scope, agentId, id));
  }

  async removeAgent(scope: Scope, id: string, agentId: string): Promise<Team> {
    return this.changeMembers(scope, id, () => this.agents.leaveTeam(scope, agentId, id));
  }

  /** Its members stay, without a team; its executions stay, too: they carry the team's name themselves. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.teams.delete(scope, id))) throw teamNotFound();
      await this.agents.disbandTeam(scope, id);
    });
  }

  /** The team is held until its member is written, so that no agent joins a team that is being deleted. */
  private async changeMembers(scope: Scope, id: string, change: () => Promise<void>): Promise<Team> {
    return this.database.transaction(async () => {
      const team = await this.teams.update(scope, id, { updated_at: this.clock.now() });
      if (team === undefined) throw teamNotFound();
      await change();
      return this.complete(scope, team);
    });
  }

  private async complete(scope: Scope, team: StoredTeam): Promise<Team> {
    const members = await this.agents.membersOf(scope, [team.id]);
    return { ...team, agents: entryOf(members, team.id) };
  }
}
