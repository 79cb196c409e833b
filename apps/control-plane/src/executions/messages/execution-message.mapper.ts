import type { Conversation, ExecutionSession, SentMessage } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type {
  ConversationResponse,
  SentMessageResponse,
  SessionResponse,
} from './dto/execution-message.response.dto.js';

export function toSessionResponse(session: ExecutionSession): SessionResponse {
  return {
    execution_id: session.execution_id,
    session_id: session.session_id,
    user_id: session.user_id,
    messages: session.messages,
    message_count: session.messages.length,
    metadata: session.metadata,
    created_at: toWireTime(session.created_at),
    updated_at: toWireTime(session.updated_at),
  };
}

export function toSentMessageResponse(executionId: string, message: SentMessage): SentMessageResponse {
  return {
    execution_id: executionId,
    message_id: message.message_id,
    role: message.role,
    content: message.content,
    timestamp: message.timestamp,
  };
}

export function toConversationResponse({ earlier_messages, messages }: Conversation): ConversationResponse {
  return { earlier_messages, messages };
}
