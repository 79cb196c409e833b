import { AgentService, agentNotFound, type Agent } from '@app/agents';
import { Database, EntityDependents } from '@app/database';
import { Clock, newId, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { memberIdsOf, rosterOf } from './team-members.js';
import { teamNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { CreateTeam, Team, TeamFields, TeamFilter, UpdateTeam } from './team.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<TeamFields, 'name'> = {
  description: null,
  status: 'active',
  configuration: {},
  runtime: null,
  environment_ids: [],
  execution_environment: {},
};

@Injectable()
export class TeamService {
  constructor(
    private readonly teams: TeamRepository,
    private readonly agents: AgentService,
    private readonly dependents: EntityDependents,
    private readonly skills: SkillAssociationService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid` that names the index of each unknown skill. */
  async create(scope: Scope, { skill_ids, ...fields }: CreateTeam): Promise<Team> {
    const now = this.clock.now();
    const team = { ...DEFAULTS, ...fields, id: newId(), created_at: now, updated_at: now };
    return this.withSkills(scope, team.id, skill_ids, () => this.teams.insert(scope, team));
  }

  /** Newest first. */
  async list(scope: Scope, filter: TeamFilter, page: Page): Promise<PageResult<Team>> {
    return this.teams.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Team> {
    const team = await this.teams.find(scope, id);
    if (team === undefined) throw teamNotFound();
    return team;
  }

  /** Returns the existing teams of these ids, by id. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Team>> {
    const found = ids.length === 0 ? [] : await this.teams.findAll(scope, ids);
    return new Map(found.map((team) => [team.id, team]));
  }

  /** Returns the members of each of these teams, each once and oldest first; every team has an entry. */
  async membersOf(scope: Scope, teams: readonly Team[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
    return this.agents.membersOf(scope, teams.map(rosterOf));
  }

  /** Throws `invalid` that names the index of each unknown skill. */
  async update(scope: Scope, id: string, { skill_ids, ...changes }: UpdateTeam): Promise<Team> {
    return this.withSkills(scope, id, skill_ids, () => this.write(scope, id, changes));
  }

  /** Makes the team the `team_id` of the agent, which leaves its previous one. Idempotent. */
  async addAgent(scope: Scope, id: string, agentId: string): Promise<Team> {
    return this.changeMembers(scope, id, async (team) => {
      await this.agents.joinTeam(scope, agentId, id);
      return team;
    });
  }

  /** Clears the `team_id` of the agent and removes it from `member_ids`. Throws `not_found` if it is not a member. */
  async removeAgent(scope: Scope, id: string, agentId: string): Promise<Team> {
    return this.changeMembers(scope, id, async (team) => {
      const left = await this.agents.leaveTeam(scope, agentId, id);
      const memberIds = memberIdsOf(team.configuration);
      if (!memberIds.includes(agentId)) {
        if (left) return team;
        throw agentNotFound();
      }
      const member_ids = memberIds.filter((memberId) => memberId !== agentId);
      return this.write(scope, id, { configuration: { ...team.configuration, member_ids } });
    });
  }

  /** Keeps the members, without a team, and the team's executions, which have a copy of its name. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.teams.delete(scope, id))) throw teamNotFound();
      await this.agents.disbandTeam(scope, id);
      await this.dependents.removeOf(scope, { entity_type: 'team', entity_id: id });
    });
  }

  /** Writes the team and replaces its skills, if they are given, in one transaction. */
  private async withSkills(
    scope: Scope,
    id: string,
    skillIds: readonly string[] | undefined,
    write: () => Promise<Team>,
  ): Promise<Team> {
    if (skillIds === undefined) return write();
    return this.database.transaction(async () => {
      const team = await write();
      await this.skills.replace(scope, { entity_type: 'team', entity_id: id }, skillIds);
      return team;
    });
  }

  /** The update locks the team's row until the end of the transaction: no agent joins a team that is being deleted. */
  private async changeMembers(scope: Scope, id: string, change: (team: Team) => Promise<Team>): Promise<Team> {
    return this.database.transaction(async () => change(await this.write(scope, id, {})));
  }

  private async write(scope: Scope, id: string, changes: Patch<TeamFields>): Promise<Team> {
    const updated = await this.teams.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw teamNotFound();
    return updated;
  }
}
