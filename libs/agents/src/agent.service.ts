import { EnvironmentService, type EnvironmentSummary } from '@app/environments';
import { Clock, newId, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { agentNotFound } from './agent.errors.js';
import { AgentRepository } from './agent.repository.js';
import type {
  Agent,
  AgentFields,
  AgentFilter,
  CreateAgent,
  RunnableAgent,
  StoredAgent,
  UpdateAgent,
} from './agent.types.js';

/** Of many runs at once hardly one queues for the agent's row. */
const NOTE_INTERVAL_MS = 1000;

/** What an agent is where the client does not say. */
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
  skill_ids: [],
  execution_environment: {},
  status: 'idle',
};

@Injectable()
export class AgentService {
  constructor(
    private readonly agents: AgentRepository,
    private readonly environments: EnvironmentService,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateAgent): Promise<Agent> {
    const now = this.clock.now();
    const stored = await this.agents.insert(scope, {
      ...DEFAULTS,
      ...request,
      id: newId(),
      state: {},
      last_active_at: null,
      error_message: null,
      created_at: now,
      updated_at: now,
    });
    return this.complete(scope, stored);
  }

  async list(scope: Scope, filter: AgentFilter, page: Page): Promise<Listed<Agent>> {
    const { items, total } = await this.agents.list(scope, filter, page);
    return { items: await this.completeAll(scope, items), total };
  }

  async read(scope: Scope, id: string): Promise<Agent> {
    const agent = await this.agents.find(scope, id);
    if (agent === undefined) throw agentNotFound();
    return this.complete(scope, agent);
  }

  /** For whoever starts a run of it; undefined when there is no such agent. */
  async findRunnable(scope: Scope, id: string): Promise<RunnableAgent | undefined> {
    return this.agents.findRunnable(scope, id);
  }

  /** The names of those that exist, by id. */
  async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.agents.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  /** Says that a run of it was started; what was noted within the last second is not noted again. */
  async noteRun(scope: Scope, { id, last_active_at }: RunnableAgent): Promise<void> {
    const now = this.clock.now();
    if (last_active_at !== null && now.getTime() - last_active_at.getTime() < NOTE_INTERVAL_MS) return;
    await this.agents.touch(scope, id, now);
  }

  async update(scope: Scope, id: string, changes: UpdateAgent): Promise<Agent> {
    const updated = await this.agents.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw agentNotFound();
    return this.complete(scope, updated);
  }

  /** The members of each of these teams, oldest first; every team has an entry. */
  async membersOf(scope: Scope, teamIds: readonly string[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
    if (teamIds.length === 0) return new Map();
    const members = await this.completeAll(scope, await this.agents.findMembers(scope, teamIds));
    const byTeam = new Map<string, Agent[]>(teamIds.map((teamId) => [teamId, []]));
    for (const member of members) byTeam.get(member.team_id ?? '')?.push(member);
    return byTeam;
  }

  /** The environments a team's members belong to, the oldest member's first. */
  async environmentIdsOfMembers(scope: Scope, teamId: string): Promise<readonly string[]> {
    return [...new Set((await this.agents.environmentIdsOfMembers(scope, teamId)).flat())];
  }

  /** Out of the team it was in, if any; a member already is left as it is. Whether there is such a team, teams know. */
  async joinTeam(scope: Scope, id: string, teamId: string): Promise<void> {
    const agent = await this.agents.find(scope, id);
    if (agent === undefined) throw agentNotFound();
    if (agent.team_id === teamId) return;
    const joined = await this.agents.update(scope, id, { team_id: teamId, updated_at: this.clock.now() });
    if (joined === undefined) throw agentNotFound();
  }

  /** An agent that is no member of the team counts as not found. */
  async leaveTeam(scope: Scope, id: string, teamId: string): Promise<void> {
    if (!(await this.agents.leaveTeam(scope, id, teamId, this.clock.now()))) throw agentNotFound();
  }

  /** Leaves the team without members. */
  async disbandTeam(scope: Scope, teamId: string): Promise<void> {
    await this.agents.clearTeam(scope, teamId, this.clock.now());
  }

  /** Its executions stay: they carry the agent's name themselves. */
  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.agents.delete(scope, id))) throw agentNotFound();
  }

  private async complete(scope: Scope, agent: StoredAgent): Promise<Agent> {
    return completed(agent, await this.environments.summaries(scope, agent.environment_ids));
  }

  /** One look-up for the environments of all of them. */
  private async completeAll(scope: Scope, agents: readonly StoredAgent[]): Promise<Agent[]> {
    const named = agents.flatMap(({ environment_ids }) => environment_ids);
    const known = await this.environments.summaries(scope, named);
    return agents.map((agent) => completed(agent, known));
  }
}

/** Each environment once, by however many words the agent names it. */
function completed(agent: StoredAgent, known: ReadonlyMap<string, EnvironmentSummary>): Agent {
  const named = agent.environment_ids.flatMap((idOrName) => known.get(idOrName) ?? []);
  return { ...agent, environments: [...new Map(named.map((environment) => [environment.id, environment])).values()] };
}
