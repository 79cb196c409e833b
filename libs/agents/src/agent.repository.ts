import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { AgentEntity } from './agent.entity.js';
import type { AgentFilter, RunnableAgent, StoredAgent, UpdateAgent } from './agent.types.js';

@Injectable()
export class AgentRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, agent: Omit<StoredAgent, 'organization_id'>): Promise<StoredAgent> {
    const row = { ...agent, organization_id: scope.organizationId };
    await this.database.insert(AgentEntity, row);
    return row;
  }

  async list(scope: Scope, { status }: AgentFilter, page: Page): Promise<Listed<StoredAgent>> {
    return this.database.list<StoredAgent>(page, {
      columns: '*',
      from: 'agents WHERE organization_id = $1 AND ($2::text IS NULL OR status = $2)',
      order: 'created_at DESC, id DESC',
      values: [scope.organizationId, status ?? null],
    });
  }

  async find(scope: Scope, id: string): Promise<StoredAgent | undefined> {
    return this.database.findOne(AgentEntity, { id, organization_id: scope.organizationId });
  }

  async findRunnable(scope: Scope, id: string): Promise<RunnableAgent | undefined> {
    const [agent] = await this.database.prepared<RunnableAgent>(
      'agents.find_runnable',
      'SELECT id, name, team_id, environment_ids, last_active_at FROM agents WHERE organization_id = $1 AND id = $2',
      [scope.organizationId, id],
    );
    return agent;
  }

  async namesOf(scope: Scope, ids: readonly string[]): Promise<{ readonly id: string; readonly name: string }[]> {
    return this.database.sql('SELECT id, name FROM agents WHERE organization_id = $1 AND id = ANY($2)', [
      scope.organizationId,
      ids,
    ]);
  }

  /** The members of these teams, oldest first. Those of one team are all read, however much they hold together. */
  async findMembers(scope: Scope, teamIds: readonly string[]): Promise<StoredAgent[]> {
    return this.database.page<StoredAgent>(
      { limit: teamIds.length },
      'SELECT * FROM agents WHERE organization_id = $1 AND team_id = ANY($2) ORDER BY created_at, id',
      [scope.organizationId, teamIds],
    );
  }

  /** One list per member, oldest member first. */
  async environmentIdsOfMembers(scope: Scope, teamId: string): Promise<string[][]> {
    const members = await this.database.prepared<Pick<StoredAgent, 'environment_ids'>>(
      'agents.environment_ids_of_members',
      'SELECT environment_ids FROM agents WHERE organization_id = $1 AND team_id = $2 ORDER BY created_at, id',
      [scope.organizationId, teamId],
    );
    return members.map(({ environment_ids }) => environment_ids);
  }

  async update(
    scope: Scope,
    id: string,
    changes: UpdateAgent & { readonly updated_at: Date },
  ): Promise<StoredAgent | undefined> {
    return this.database.update(AgentEntity, { id, organization_id: scope.organizationId }, changes);
  }

  /** Notes a run, which is no change of the agent. */
  async touch(scope: Scope, id: string, at: Date): Promise<void> {
    const sql = 'UPDATE agents SET last_active_at = $3 WHERE organization_id = $1 AND id = $2';
    await this.database.prepared('agents.touch', sql, [scope.organizationId, id, at]);
  }

  /** Whether the agent was a member of the team. */
  async leaveTeam(scope: Scope, id: string, teamId: string, at: Date): Promise<boolean> {
    const member = { id, organization_id: scope.organizationId, team_id: teamId };
    return (await this.database.update(AgentEntity, member, { team_id: null, updated_at: at })) !== undefined;
  }

  async clearTeam(scope: Scope, teamId: string, at: Date): Promise<void> {
    await this.database.sql(
      'UPDATE agents SET team_id = NULL, updated_at = $3 WHERE organization_id = $1 AND team_id = $2',
      [scope.organizationId, teamId, at],
    );
  }

  /** Whether there was such an agent. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const result = await this.database.repository(AgentEntity).delete({ id, organization_id: scope.organizationId });
    return (result.affected ?? 0) > 0;
  }
}
