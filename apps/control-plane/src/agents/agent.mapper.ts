import type { Agent, AgentFilter } from '@app/agents';
import type { EnvironmentSummary } from '@app/environments';
import { ENVIRONMENT_SECRETS, presentSecrets, toWireTime, withoutUndefined } from '@app/kernel';
import type { ProjectSummary } from '@app/projects';
import type { SkillsOfEntity } from '@app/skills';
import { toProjectSummary } from '../projects/dto/project-summary.dto.js';
import { toSkillSummaryResponse } from '../skills/skill.mapper.js';
import type { ListAgentsQuery } from './dto/agent.request.dto.js';
import type { AgentResponse } from './dto/agent.response.dto.js';

/** Fields of an agent response that other domains own. */
export interface AgentView {
  /** In the order in which the agent was added to them. */
  readonly projects: readonly ProjectSummary[];
  /** The existing environments among `environment_ids`, in that order. */
  readonly environments: readonly EnvironmentSummary[];
  readonly skills: SkillsOfEntity;
  /** Whether the reader may write agents. */
  readonly showSecrets: boolean;
}

export function toAgentResponse(agent: Agent, view: AgentView): AgentResponse {
  return {
    id: agent.id,
    organization_id: agent.organization_id,
    name: agent.name,
    description: agent.description,
    status: agent.status,
    system_prompt: agent.system_prompt,
    capabilities: agent.capabilities,
    configuration: agent.configuration,
    model_id: agent.model_id,
    llm_config: agent.llm_config,
    runtime: agent.runtime,
    team_id: agent.team_id,
    environment_ids: agent.environment_ids,
    skill_ids: view.skills.map(({ id }) => id),
    execution_environment: presentSecrets(ENVIRONMENT_SECRETS, agent.execution_environment, view.showSecrets),
    state: agent.state,
    projects: view.projects.map(toProjectSummary),
    environments: view.environments.map(({ id, name, display_name, status }) => ({ id, name, display_name, status })),
    skills: view.skills.map(toSkillSummaryResponse),
    last_active_at: toWireTime(agent.last_active_at),
    error_message: agent.error_message,
    created_at: toWireTime(agent.created_at),
    updated_at: toWireTime(agent.updated_at),
  };
}

export function toAgentFilter({ name, status_filter: status }: ListAgentsQuery): AgentFilter {
  return withoutUndefined({ name, status });
}
