import { toWireTime } from '@app/kernel';
import type { NamedKnowledge } from '@app/resources';
import type { AssembledRun, RunModel } from '@app/runs';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import { toExecutionResponse } from '../executions/execution.mapper.js';
import { toResolvedSkillResponse } from '../skills/skill.mapper.js';
import type { TeamResponse } from '../teams/dto/team.response.dto.js';
import type { LeaseModelResponse, LeaseResponse } from './dto/lease.response.dto.js';

/** Fields of a lease response that other domains own. */
export interface LeaseView {
  readonly agent: AgentResponse | null;
  readonly team: TeamResponse | null;
  /** The knowledge entries of the context that exist. */
  readonly knowledge: readonly NamedKnowledge[];
}

export function toLeaseResponse(run: AssembledRun, view: LeaseView): LeaseResponse {
  const { lease, model, environment, skills, context } = run;
  const { execution } = lease;
  return {
    lease_token: lease.leaseToken,
    attempt: lease.attempt,
    expires_at: toWireTime(lease.expiresAt),
    traceparent: execution.traceparent,
    execution: {
      ...toExecutionResponse(execution),
      job_id: execution.job_id,
      config: execution.config,
      execution_environment: execution.execution_environment,
    },
    agent: view.agent,
    team: view.team,
    skills: skills.map(toResolvedSkillResponse),
    context: {
      knowledge_uuids: context.knowledge_uuids,
      knowledge: view.knowledge.map(({ id, name, description }) => ({ id, name, description })),
      resource_ids: context.resource_ids,
      policy_ids: context.policy_ids,
    },
    environment: environment.variables,
    secrets: environment.secrets,
    mcp_servers: environment.mcpServers,
    withheld_variables: environment.withheldVariables,
    model: model === null ? null : toLeaseModelResponse(model),
  };
}

function toLeaseModelResponse(model: RunModel): LeaseModelResponse {
  if (!('id' in model)) return { id: null, value: model.value, label: null, provider: null, capabilities: {} };
  return {
    id: model.id,
    value: model.value,
    label: model.label,
    provider: model.provider,
    capabilities: model.capabilities,
  };
}
