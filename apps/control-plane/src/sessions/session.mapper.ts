import type { SessionMessage, UserSession } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { SessionMessageResponse } from './dto/session-message.response.dto.js';
import type { UserSessionResponse } from './dto/session.response.dto.js';

export function toUserSessionResponse(session: UserSession, projectIds: readonly string[]): UserSessionResponse {
  return {
    id: session.id,
    organization_id: session.organization_id,
    session_id: session.session_id,
    name: session.name,
    user_id: session.user_id,
    user_name: session.user_name,
    execution_type: session.execution_type,
    entity_id: session.entity_id,
    entity_name: session.entity_name,
    project_ids: projectIds,
    turns: session.turns,
    last_message_preview: session.last_message_preview,
    running_execution_id: session.running_execution_id,
    running_execution_status: session.running_execution_status,
    forked_from_id: session.forked_from_id,
    created_at: toWireTime(session.created_at),
    updated_at: toWireTime(session.updated_at),
    last_activity_at: toWireTime(session.last_activity_at),
  };
}

/** Messages are free-form objects. */
export function toSessionMessageResponse({ execution_id, message }: SessionMessage): SessionMessageResponse {
  return { ...message, execution_id };
}
