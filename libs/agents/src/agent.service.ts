import { Database, EntityDependents } from '@app/database';
import { Clock, newId, notFound, type DomainError, type Page, type PageResult, type Scope } from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { AgentRepository } from './agent.repository.js';
import type { Agent, AgentFields, AgentFilter, CreateAgent, UpdateAgent } from './agent.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<AgentFields, 'name'> = {
  description: null,
  system_prompt: null,
  capabilities: [],
  configuration: {},
  model_id: null,
  llm_config: {},
  runtime: null,
  team_id: null,
  environment_ids: [],
  execution_environment: {},
  status: 'idle',
};

@Injectable()
export class AgentService {
  constructor(
    private readonly agents: AgentRepository,
    private readonly dependents: EntityDependents,
    private readonly skills: SkillAssociationService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, { skill_ids, ...fields }: CreateAgent): Promise<Agent> {
    const now = this.clock.now();
    const agent = {
      ...DEFAULTS,
      ...fields,
      id: newId(),
      state: {},
      last_active_at: null,
      error_message: null,
      created_at: now,
      updated_at: now,
    };
    return this.withSkills(scope, agent.id, skill_ids, () => this.agents.insert(scope, agent));
  }

  /** Newest first. */
  async list(scope: Scope, filter: AgentFilter, page: Page): Promise<PageResult<Agent>> {
    return this.agents.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Agent> {
    const agent = await this.agents.find(scope, id);
    if (agent === undefined) throw agentNotFound();
    return agent;
  }

  /** Returns the existing agents of these ids, by id. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
    const found = ids.length === 0 ? [] : await this.agents.findAll(scope, ids);
    return new Map(found.map((agent) => [agent.id, agent]));
  }

  async update(scope: Scope, id: string, { skill_ids, ...changes }: UpdateAgent): Promise<Agent> {
    return this.withSkills(scope, id, skill_ids, async () => {
      const updated = await this.agents.update(scope, id, { ...changes, updated_at: this.clock.now() });
      if (updated === undefined) throw agentNotFound();
      return updated;
    });
  }

  /** Returns the members of each of these teams, oldest first; every team has an entry. */
  async byTeamIds(scope: Scope, teamIds: readonly string[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
    const byTeam = new Map<string, Agent[]>(teamIds.map((teamId) => [teamId, []]));
    if (teamIds.length === 0) return byTeam;
    for (const member of await this.agents.findMembers(scope, teamIds)) byTeam.get(member.team_id ?? '')?.push(member);
    return byTeam;
  }

  /** Returns the environments of a team's members, the oldest member's first, without duplicates. */
  async environmentIdsOfMembers(scope: Scope, teamId: string): Promise<readonly string[]> {
    return [...new Set((await this.agents.environmentIdsOfMembers(scope, teamId)).flat())];
  }

  /** Moves the agent out of its previous team, if any. Idempotent. The caller has checked that the team exists. */
  async joinTeam(scope: Scope, id: string, teamId: string): Promise<void> {
    const agent = await this.agents.find(scope, id);
    if (agent === undefined) throw agentNotFound();
    if (agent.team_id === teamId) return;
    const joined = await this.agents.update(scope, id, { team_id: teamId, updated_at: this.clock.now() });
    if (joined === undefined) throw agentNotFound();
  }

  /** Throws `not_found` if the agent is not a member of the team. */
  async leaveTeam(scope: Scope, id: string, teamId: string): Promise<void> {
    if (!(await this.agents.leaveTeam(scope, id, teamId, this.clock.now()))) throw agentNotFound();
  }

  /** Removes all members from the team. */
  async disbandTeam(scope: Scope, teamId: string): Promise<void> {
    await this.agents.clearTeam(scope, teamId, this.clock.now());
  }

  /** Keeps the agent's executions, which have a copy of its name. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.agents.delete(scope, id))) throw agentNotFound();
      await this.dependents.removeOf(scope, { entity_type: 'agent', entity_id: id });
    });
  }

  /** Writes the agent and, if given, its skills in one transaction. */
  private async withSkills(
    scope: Scope,
    id: string,
    skillIds: readonly string[] | undefined,
    write: () => Promise<Agent>,
  ): Promise<Agent> {
    if (skillIds === undefined) return write();
    return this.database.transaction(async () => {
      const agent = await write();
      await this.skills.replace(scope, { entity_type: 'agent', entity_id: id }, skillIds);
      return agent;
    });
  }
}

function agentNotFound(): DomainError {
  return notFound('agent_not_found', 'Agent');
}
