import type { Agent, AgentFilter } from '@app/agents';
import type { Execution } from '@app/executions';
import { toWireTime, withoutUndefined } from '@app/kernel';
import type { ListAgentsQuery } from './dto/agent.request.dto.js';
import type { AgentResponse, StartedExecutionResponse } from './dto/agent.response.dto.js';

export function toAgentResponse(agent: Agent): AgentResponse {
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
    skill_ids: agent.skill_ids,
    execution_environment: agent.execution_environment,
    state: agent.state,
    projects: [],
    environments: agent.environments.map(({ id, name, display_name, status }) => ({ id, name, display_name, status })),
    skills: [],
    last_active_at: toWireTime(agent.last_active_at),
    error_message: agent.error_message,
    created_at: toWireTime(agent.created_at),
    updated_at: toWireTime(agent.updated_at),
  };
}

export function toAgentFilter({ status_filter: status }: ListAgentsQuery): AgentFilter {
  return withoutUndefined({ status });
}

/** The queue engine knows a run by its execution's id. */
export function toStartedExecutionResponse(execution: Execution): StartedExecutionResponse {
  return {
    execution_id: execution.id,
    workflow_id: execution.id,
    status: execution.status,
    message: execution.error_message ?? `Execution of ${execution.entity_name} started`,
  };
}
