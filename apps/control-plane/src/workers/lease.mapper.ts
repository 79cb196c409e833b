import { toWireTime } from '@app/kernel';
import type { AssembledRun, RunModel } from '@app/runs';
import { toAgentResponse } from '../agents/agent.mapper.js';
import { toExecutionResponse } from '../executions/execution.mapper.js';
import { toTeamResponse } from '../teams/team.mapper.js';
import type { LeaseModelResponse, LeaseResponse } from './dto/lease.response.dto.js';

export function toLeaseResponse({ lease, agent, team, model, variables }: AssembledRun): LeaseResponse {
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
    agent: agent === null ? null : toAgentResponse(agent),
    team: team === null ? null : toTeamResponse(team),
    skills: [],
    context: {},
    environment: variables,
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
