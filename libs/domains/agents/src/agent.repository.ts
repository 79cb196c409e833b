import { Database, statementOf } from '@app/database';
import { findIdsNamed, type CandidateQuery, type RunCandidate } from '@app/executions';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, MoreThan } from 'typeorm';
import { AgentEntity } from './agent.entity.js';
import {
  FIND_AGENT,
  FIND_AGENTS,
  FIND_CANDIDATE_AGENTS,
  FIND_ROSTERS,
  FIND_RUNNABLE_AGENT,
  FIND_RUNNABLE_AGENTS,
  FIND_RUNNABLE_MEMBERS,
  RECORD_AGENT_ACTIVITY,
} from './agent.sql.js';
import type {
  Agent,
  AgentChanges,
  AgentFilter,
  AgentStamp,
  NewAgent,
  RosterMember,
  RunnableAgent,
} from './agent.types.js';

const FIND_IDS_NAMED = findIdsNamed('agents');

@Injectable()
export class AgentRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, agent: NewAgent): Promise<Agent> {
    return this.database.insert(AgentEntity, { ...agent, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, status }: AgentFilter, page: Page): Promise<PageResult<Agent>> {
    const query = this.database
      .select(AgentEntity, 'agent', { ...withoutUndefined({ name, status }), organization_id: organizationId })
      .orderBy('agent.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Agent | undefined> {
    const [agent] = await this.database.shared<Agent & object>(FIND_AGENT, [organizationId, id]);
    return agent;
  }

  /** Returns the existing agents of these ids, in any order. Throws `conflict` if they are too large. */
  async findAll({ organizationId }: Scope, ids: readonly string[]): Promise<Agent[]> {
    return this.database.boundedSet<Agent & object>('The agents of the run', FIND_AGENTS, [organizationId, ids]);
  }

  /** Throws `invalid` if the agents exceed the size limit of a page. */
  async findByIds({ organizationId }: Scope, ids: readonly string[]): Promise<Agent[]> {
    const query = this.database.select(AgentEntity, 'agent', { organization_id: organizationId, id: Any(ids) });
    return this.database.boundedRows<Agent>(ids.length, statementOf(query));
  }

  async findRunnable({ organizationId }: Scope, id: string): Promise<RunnableAgent | undefined> {
    const [agent] = await this.database.shared<RunnableAgent>(FIND_RUNNABLE_AGENT, [organizationId, id]);
    return agent;
  }

  /** Returns the existing agents of these ids, in any order. Throws `conflict` if they are too large. */
  async findRunnables({ organizationId }: Scope, ids: readonly string[]): Promise<RunnableAgent[]> {
    return this.database.boundedSet<RunnableAgent>('The agents', FIND_RUNNABLE_AGENTS, [organizationId, ids]);
  }

  /** Returns, for each word, the ids of the agents that have the word as id or name; see `RunnableSource.idsNamed`. */
  async idsNamed({ organizationId }: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = await this.database.prepared<{ word: string; ids: string[] }>(FIND_IDS_NAMED, [
      organizationId,
      words,
    ]);
    return new Map(found.map(({ word, ids }) => [word, ids]));
  }

  /** Returns up to `limit` ids in their order, those after `after`. */
  async idsAfter({ organizationId }: Scope, after: string, limit: number): Promise<readonly string[]> {
    const agents = await this.database.repository(AgentEntity).find({
      select: { id: true },
      where: { organization_id: organizationId, id: MoreThan(after) },
      order: { id: 'ASC' },
      take: limit,
    });
    return agents.map(({ id }) => id);
  }

  async namesOf({ organizationId }: Scope, ids: readonly string[]): Promise<Pick<Agent, 'id' | 'name'>[]> {
    return this.database.repository(AgentEntity).find({
      select: { id: true, name: true },
      where: { organization_id: organizationId, id: Any(ids) },
    });
  }

  /**
   * Returns the agents with one of these teams or ids, each once, oldest first. If they exceed the size limit of a
   * page, throws `conflict` for one team and `invalid` for several.
   */
  async findMembers(
    { organizationId }: Scope,
    teamIds: readonly string[],
    agentIds: readonly string[],
  ): Promise<Agent[]> {
    const query = this.database
      .select(AgentEntity, 'agent', { organization_id: organizationId })
      .andWhere('(agent.team_id = ANY(:teamIds) OR agent.id = ANY(:agentIds))', { teamIds, agentIds })
      .orderBy('agent.created_at')
      .addOrderBy('agent.id');
    const statement = statementOf(query);
    if (teamIds.length > 1) return this.database.boundedRows<Agent>(teamIds.length, statement);
    return this.database.boundedSet<Agent>('The agents of the team', statement, statement.values);
  }

  /** Returns the agents with one of these teams or ids, each once, oldest first. Throws `conflict` if they are too large. */
  async findRunnableMembers(
    { organizationId }: Scope,
    teamIds: readonly string[],
    agentIds: readonly string[],
  ): Promise<RunnableAgent[]> {
    const what = teamIds.length > 1 ? 'The agents of the teams' : 'The agents of the team';
    return this.database.boundedSet<RunnableAgent>(what, FIND_RUNNABLE_MEMBERS, [organizationId, teamIds, agentIds]);
  }

  /** Returns the agents that a worker may choose, the best matches first. */
  async findCandidates(
    { organizationId }: Scope,
    { environment, excluded, runtimes, words, only, limit }: CandidateQuery,
  ): Promise<Omit<RunCandidate, 'kind'>[]> {
    const idsOf = (kind: string): string[] => excluded.flatMap((ref) => (ref.kind === kind ? [ref.id] : []));
    const values = [environment, idsOf('agent'), idsOf('team'), words, only?.id ?? null, limit, runtimes];
    return this.database.prepared(FIND_CANDIDATE_AGENTS, [organizationId, ...values]);
  }

  /** Returns the agents with one of these teams or ids, oldest first. Throws `conflict` if they are too large. */
  async findRosters(
    { organizationId }: Scope,
    teamIds: readonly string[],
    agentIds: readonly string[],
  ): Promise<RosterMember[]> {
    const values = [organizationId, teamIds, agentIds];
    return this.database.boundedSet<RosterMember>('The agents of the teams', FIND_ROSTERS, values);
  }

  async update({ organizationId }: Scope, id: string, changes: AgentChanges): Promise<Agent | undefined> {
    return this.database.update(AgentEntity, { id, organization_id: organizationId }, changes);
  }

  /** Locks the agent and writes what `changesOf` returns for it, in one transaction. */
  async change(
    { organizationId }: Scope,
    id: string,
    changesOf: (before: Agent) => AgentChanges,
  ): Promise<Agent | undefined> {
    const where = { id, organization_id: organizationId };
    return this.database.transaction(async () => {
      const before = await this.database.lockOne(AgentEntity, where);
      return before && this.database.update(AgentEntity, where, changesOf(before));
    });
  }

  /** Sets `last_active_at`; `updated_at` stays, because a run does not change the agent. */
  async recordActivity({ organizationId }: Scope, id: string, at: Date): Promise<void> {
    await this.database.prepared(RECORD_AGENT_ACTIVITY, [organizationId, id, at]);
  }

  /** Returns false if the agent is not a member of the team. */
  async leaveTeam({ organizationId }: Scope, id: string, teamId: string, stamp: AgentStamp): Promise<boolean> {
    const member = { id, organization_id: organizationId, team_id: teamId };
    return (await this.database.update(AgentEntity, member, { ...stamp, team_id: null })) !== undefined;
  }

  async clearTeam({ organizationId }: Scope, teamId: string, stamp: AgentStamp): Promise<void> {
    const members = { organization_id: organizationId, team_id: teamId };
    await this.database.repository(AgentEntity).update(members, { ...stamp, team_id: null });
  }

  /** Returns false if there is no such agent. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(AgentEntity, { id, organization_id: organizationId });
  }
}
