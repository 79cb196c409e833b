import { AssembledAgent } from '@app/agents';
import type { AssembledRunnable } from '@app/executions';
import type { Scope } from '@app/kernel';
import { KnowledgeService } from '@app/resources';
import type { AssembledRun } from '@app/orchestration';
import { AssembledTeam } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { AgentPresenter } from '../agents/agent.presenter.js';
import { TeamPresenter } from '../teams/team.presenter.js';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import type { TeamResponse } from '../teams/dto/team.response.dto.js';
import type { LeaseResponse } from './dto/lease.response.dto.js';
import { toLeaseResponse, type LeasedCall } from './lease.mapper.js';

/**
 * Composes the lease responses of a poll from its runs and from the agents and teams that they run or may call. They contain the
 * secret values, which runs need, although the keys of workers may not write agents.
 */
@Injectable()
export class LeasePresenter {
  constructor(
    private readonly agents: AgentPresenter,
    private readonly teams: TeamPresenter,
    private readonly entries: KnowledgeService,
  ) {}

  /** A lease has one field per kind that workers know; all of them are null for other kinds. */
  async many(scope: Scope, runs: readonly AssembledRun[]): Promise<LeaseResponse[]> {
    const calls = runs.flatMap((run): LeasedCall[] => [run, ...run.calls]);
    const runnables = calls.map(({ runnable }) => runnable);
    const [agents, teams, named] = await Promise.all([
      this.agentsOf(scope, runnables),
      this.teamsOf(scope, runnables),
      this.entries.byIds(scope, [...new Set(calls.flatMap(({ context }) => context.knowledge_uuids))]),
    ]);
    return runs.map((run) =>
      toLeaseResponse(run, ({ runnable, context }) => ({
        agent: runnable instanceof AssembledAgent ? (agents.get(runnable.id) ?? null) : null,
        team: runnable instanceof AssembledTeam ? (teams.get(runnable.id) ?? null) : null,
        knowledge: context.knowledge_uuids.flatMap((id) => named.get(id) ?? []),
      })),
    );
  }

  private async agentsOf(
    scope: Scope,
    runnables: readonly (AssembledRunnable | null)[],
  ): Promise<ReadonlyMap<string, AgentResponse>> {
    const assembled = runnables.flatMap((runnable) => (runnable instanceof AssembledAgent ? [runnable.agent] : []));
    const agents = await this.agents.many(scope, [...new Set(assembled)], true);
    return new Map(agents.map((agent) => [agent.id, agent]));
  }

  /** One call per team, because the members of several teams could together exceed the size limit of a page. */
  private async teamsOf(
    scope: Scope,
    runnables: readonly (AssembledRunnable | null)[],
  ): Promise<ReadonlyMap<string, TeamResponse>> {
    const assembled = runnables.flatMap((runnable) => (runnable instanceof AssembledTeam ? [runnable.team] : []));
    const byId = new Map(assembled.map((team) => [team.id, team]));
    const teams = (await Promise.all([...byId.values()].map((team) => this.teams.many(scope, [team], true)))).flat();
    return new Map(teams.map((team) => [team.id, team]));
  }
}
