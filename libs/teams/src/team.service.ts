import { AgentService, agentNotFound, type Agent } from '@app/agents';
import { Database, EntityDependent, EntityDependents } from '@app/database';
import { Clock, newId, type EntityRef, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { memberIdsOf, rosterOf } from './team-members.js';
import { agentInUse, teamNotFound, unknownMembers } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { CreateTeam, Team, TeamFields, TeamFilter, UpdateTeam } from './team.types.js';

/** Teams named in an error message. */
const MAX_NAMED_TEAMS = 10;

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
export class TeamService extends EntityDependent {
  constructor(
    private readonly teams: TeamRepository,
    private readonly agents: AgentService,
    private readonly dependents: EntityDependents,
    private readonly skills: SkillAssociationService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Throws `invalid` that names the index of each unknown agent or skill. */
  async create(scope: Scope, { skill_ids, ...fields }: CreateTeam): Promise<Team> {
    const now = this.clock.now();
    const team = { ...DEFAULTS, ...fields, id: newId(), created_at: now, updated_at: now };
    return this.withReferences(scope, team, skill_ids, () => this.teams.insert(scope, team));
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

  /** Throws `invalid` that names the index of each unknown agent or skill. */
  async update(scope: Scope, id: string, { skill_ids, ...changes }: UpdateTeam): Promise<Team> {
    return this.withReferences(scope, { id, ...changes }, skill_ids, () => this.write(scope, id, changes));
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

  /** Throws `conflict` for an agent that teams list in `member_ids`: they would name an unknown agent. */
  override async removeOf(scope: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    if (entity_type !== 'agent') return;
    const teams = await this.teams.findListing(scope, entity_id, MAX_NAMED_TEAMS);
    if (teams.length > 0) throw agentInUse(teams);
  }

  /** Writes the team and what it refers to in one transaction: the listed members exist, its skills are replaced if given. */
  private async withReferences(
    scope: Scope,
    { id, configuration = {} }: Pick<Team, 'id'> & Partial<TeamFields>,
    skillIds: readonly string[] | undefined,
    write: () => Promise<Team>,
  ): Promise<Team> {
    const memberIds = memberIdsOf(configuration);
    if (skillIds === undefined && memberIds.length === 0) return write();
    return this.database.transaction(async () => {
      const team = await write();
      const known = memberIds.length === 0 ? new Set<string>() : await this.agents.lockExisting(scope, memberIds);
      if (memberIds.some((memberId) => !known.has(memberId))) throw unknownMembers(memberIds, known);
      if (skillIds !== undefined) await this.skills.replace(scope, { entity_type: 'team', entity_id: id }, skillIds);
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
