import type { Agent } from '@app/agents';
import { EnvironmentService, type EnvironmentSummary } from '@app/environments';
import { mapPageAsync } from '@app/http';
import { getRequired, grants, type Caller, type PageResult, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { toAgentResponse, type AgentView } from './agent.mapper.js';
import type { AgentResponse } from './dto/agent.response.dto.js';

/** Composes agent responses with the fields of other domains, with one look-up per domain for any number of agents. */
@Injectable()
export class AgentPresenter {
  constructor(
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectLookupService,
    private readonly skills: SkillAssociationService,
  ) {}

  async one(caller: Caller, agent: Agent): Promise<AgentResponse> {
    const viewOf = await this.views(caller, [agent], mayWriteAgents(caller));
    return toAgentResponse(agent, viewOf(agent));
  }

  /** `showSecrets`: whether the responses contain secret values, see `presentSecrets`. */
  async many(scope: Scope, agents: readonly Agent[], showSecrets: boolean): Promise<AgentResponse[]> {
    const viewOf = await this.views(scope, agents, showSecrets);
    return agents.map((agent) => toAgentResponse(agent, viewOf(agent)));
  }

  async page(caller: Caller, listed: PageResult<Agent>): Promise<PageResult<AgentResponse>> {
    return mapPageAsync(listed, (agents) => this.many(caller, agents, mayWriteAgents(caller)));
  }

  private async views(
    scope: Scope,
    agents: readonly Agent[],
    showSecrets: boolean,
  ): Promise<(agent: Agent) => AgentView> {
    const named = agents.flatMap(({ environment_ids }) => environment_ids);
    const ids = [...new Set(agents.map(({ id }) => id))];
    const [environments, projects, skills] = await Promise.all([
      this.environments.summaries(scope, named),
      this.projects.projectsOf(scope, 'agent', ids),
      this.skills.byEntityIds(scope, 'agent', ids),
    ]);
    return ({ id, environment_ids }) => ({
      projects: getRequired(projects, id),
      environments: select(environment_ids, environments),
      skills: getRequired(skills, id),
      showSecrets,
    });
  }
}

/** Agents, teams and their skills have the same scope. */
export function mayWriteAgents(caller: Caller): boolean {
  return grants(caller, 'agents:write');
}

/**
 * Returns the existing environments in the given order, without duplicates: an id and a name can refer to the same one.
 */
function select(
  idsOrNames: readonly string[],
  environments: ReadonlyMap<string, EnvironmentSummary>,
): EnvironmentSummary[] {
  const found = idsOrNames.flatMap((idOrName) => environments.get(idOrName) ?? []);
  return [...new Map(found.map((environment) => [environment.id, environment])).values()];
}
