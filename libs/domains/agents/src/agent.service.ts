import { EntityDependent, EntityDependents, EntityUses } from '@app/database';
import type { Runnable } from '@app/executions';
import {
  changedBy,
  Clock,
  ENVIRONMENT_SECRETS,
  mayHideSecrets,
  newId,
  rejectHiddenSecrets,
  restoreSecrets,
  type Caller,
  type EntityRef,
  type Page,
  type PageResult,
  type Patch,
  type Scope,
} from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { agentInUse, agentNotFound } from './agent.errors.js';
import { AgentRepository } from './agent.repository.js';
import { toRunnable } from './runnable-agent.js';
import type {
  Agent,
  AgentFields,
  AgentFilter,
  AgentStamp,
  CreateAgent,
  RosterMember,
  TeamRoster,
  UpdateAgent,
} from './agent.types.js';

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
export class AgentService extends EntityDependent {
  constructor(
    private readonly agents: AgentRepository,
    private readonly dependents: EntityDependents,
    private readonly skills: SkillAssociationService,
    private readonly uses: EntityUses,
    private readonly clock: Clock,
  ) {
    super();
  }

  async create(caller: Caller, { skill_ids, ...fields }: CreateAgent): Promise<Agent> {
    rejectHiddenSecrets(ENVIRONMENT_SECRETS, fields.execution_environment, ['execution_environment']);
    const now = this.clock.now();
    const agent = {
      ...DEFAULTS,
      ...fields,
      id: newId(),
      state: {},
      last_active_at: null,
      error_message: null,
      ...changedBy(caller),
      created_at: now,
      updated_at: now,
    };
    return this.skills.replaceWith(caller, refOf(agent.id), skill_ids, () => this.agents.insert(caller, agent));
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
    const found = ids.length === 0 ? [] : await this.agents.findByIds(scope, ids);
    return new Map(found.map((agent) => [agent.id, agent]));
  }

  /** Hidden secret values keep the stored ones, see `restoreSecrets`. */
  async update(caller: Caller, id: string, { skill_ids, ...changes }: UpdateAgent): Promise<Agent> {
    return this.skills.replaceWith(caller, refOf(id), skill_ids, async () => {
      const updated = await this.write(caller, id, changes);
      if (updated === undefined) throw agentNotFound();
      return updated;
    });
  }

  /** Returns the members of each of these teams, each once and oldest first; every team has an entry. */
  async membersOf(scope: Scope, teams: readonly TeamRoster[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
    return membersByTeam(teams, (teamIds, agentIds) => this.agents.findMembers(scope, teamIds, agentIds));
  }

  /** Like `membersOf`, with the fields that the start of a run reads. */
  async runnableMembersOf(
    scope: Scope,
    teams: readonly TeamRoster[],
  ): Promise<ReadonlyMap<string, readonly Runnable[]>> {
    const members = await membersByTeam(teams, (teamIds, agentIds) =>
      this.agents.findRunnableMembers(scope, teamIds, agentIds),
    );
    return new Map([...members].map(([teamId, agents]) => [teamId, agents.map(toRunnable)]));
  }

  /** Like `membersOf`, with the fields that candidates need. */
  async rostersOf(scope: Scope, teams: readonly TeamRoster[]): Promise<ReadonlyMap<string, readonly RosterMember[]>> {
    return membersByTeam(teams, (teamIds, agentIds) => this.agents.findRosters(scope, teamIds, agentIds));
  }

  /** Sets the team of the agent and replaces its previous one. Idempotent. The caller has checked that the team exists. */
  async joinTeam(caller: Caller, id: string, teamId: string): Promise<string | null> {
    const agent = await this.agents.find(caller, id);
    if (agent === undefined) throw agentNotFound();
    if (agent.team_id === teamId) return null;
    const joined = await this.write(caller, id, { team_id: teamId });
    if (joined === undefined) throw agentNotFound();
    return agent.team_id;
  }

  /** Returns false if the team is not the `team_id` of the agent. */
  async leaveTeam(caller: Caller, id: string, teamId: string): Promise<boolean> {
    return this.agents.leaveTeam(caller, id, teamId, this.stamp(caller));
  }

  /** Clears the `team_id` of all agents of a deleted team. */
  override async removeOf(caller: Caller, { entity_type, entity_id }: EntityRef): Promise<void> {
    if (entity_type === 'team') await this.agents.clearTeam(caller, entity_id, this.stamp(caller));
  }

  private async write(caller: Caller, id: string, fields: Patch<AgentFields>): Promise<Agent | undefined> {
    const changes = { ...fields, ...this.stamp(caller) };
    const { execution_environment: sent } = fields;
    if (!mayHideSecrets(sent)) return this.agents.update(caller, id, changes);
    return this.agents.change(caller, id, ({ execution_environment: stored }) => ({
      ...changes,
      execution_environment: restoreSecrets(ENVIRONMENT_SECRETS, sent, stored, ['execution_environment']),
    }));
  }

  private stamp(caller: Caller): AgentStamp {
    return { ...changedBy(caller), updated_at: this.clock.now() };
  }

  /** Throws a `conflict` that lists what uses the agent. Its executions remain, with a copy of its name. */
  async delete(caller: Caller, id: string): Promise<void> {
    const { name } = await this.read(caller, id);
    const meant = (await this.agents.idsNamed(caller, [name])).get(name) ?? [];
    // A name of several agents is ambiguous and refers to none of them.
    const places = await this.uses.describe(caller, 'agent', meant.length === 1 ? [id, name] : [id]);
    if (places !== undefined) throw agentInUse(name, places);
    await this.dependents.removeWith(caller, refOf(id), async () => {
      if (!(await this.agents.delete(caller, id))) throw agentNotFound();
    });
  }
}

/**
 * Returns the members of each team, in the order in which `find` returns them. `find` receives the ids of the teams and
 * of their listed members.
 */
async function membersByTeam<T extends Pick<Agent, 'id' | 'team_id'>>(
  teams: readonly TeamRoster[],
  find: (teamIds: readonly string[], agentIds: readonly string[]) => Promise<readonly T[]>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const byTeam = new Map<string, T[]>(teams.map(({ id }) => [id, []]));
  if (teams.length === 0) return byTeam;
  const listedIn = new Map<string, string[]>();
  for (const { id: teamId, memberIds } of teams) {
    for (const id of memberIds) listedIn.set(id, [...(listedIn.get(id) ?? []), teamId]);
  }
  for (const agent of await find([...byTeam.keys()], [...listedIn.keys()])) {
    const teamIds = new Set([...(listedIn.get(agent.id) ?? []), agent.team_id ?? '']);
    for (const teamId of teamIds) byTeam.get(teamId)?.push(agent);
  }
  return byTeam;
}

function refOf(id: string): EntityRef {
  return { entity_type: 'agent', entity_id: id };
}
