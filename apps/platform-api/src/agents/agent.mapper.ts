import type { Agent } from '@app/agents';
import { toWireTime } from '@app/kernel';
import type { AgentResponse } from './dto/agent.response.dto.js';

/** Contains the fields that identify an agent; only the control plane returns its configuration. */
export function toAgentResponse(agent: Agent): AgentResponse {
  return {
    id: agent.id,
    uuid: agent.id,
    name: agent.name,
    description: agent.description,
    status: agent.status,
    runtime: agent.runtime,
    model_id: agent.model_id,
    created_at: toWireTime(agent.created_at),
    updated_at: toWireTime(agent.updated_at),
  };
}
