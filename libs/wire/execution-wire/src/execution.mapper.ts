import type { Execution, Participant } from '@app/executions';
import { toWireTime } from '@app/kernel';
import { traceIdFrom } from '@app/observability';
import type { ExecutionResponse, ParticipantResponse } from './execution.response.dto.js';

export function toExecutionResponse(execution: Execution): ExecutionResponse {
  return {
    id: execution.id,
    organization_id: execution.organization_id,
    execution_type: execution.execution_type,
    entity_id: execution.entity_id,
    entity_name: execution.entity_name,
    prompt: execution.prompt,
    system_prompt: execution.system_prompt,
    status: execution.status,
    response: execution.response,
    error_message: execution.error_message,
    runner_name: execution.runner_name,
    user_id: execution.user_id,
    user_name: execution.user_name,
    user_email: execution.user_email,
    user_avatar: execution.user_avatar,
    created_at: toWireTime(execution.created_at),
    started_at: toWireTime(execution.started_at),
    completed_at: toWireTime(execution.completed_at),
    updated_at: toWireTime(execution.updated_at),
    last_message_at: toWireTime(execution.last_message_at),
    last_message_preview: execution.last_message_preview,
    usage: execution.usage,
    execution_metadata: execution.execution_metadata,
    trace_id: execution.traceparent === null ? null : traceIdFrom(execution.traceparent),
    session_id: execution.session_id,
    participants: execution.participants.map(toParticipantResponse),
  };
}

function toParticipantResponse(participant: Participant): ParticipantResponse {
  return {
    id: participant.id,
    user_id: participant.user_id,
    user_name: participant.user_name,
    user_email: participant.user_email,
    user_avatar: participant.user_avatar,
    role: participant.role,
    joined_at: participant.joined_at,
    last_active_at: participant.last_active_at,
  };
}
