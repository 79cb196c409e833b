import type { ToolCall } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { ToolCallResponse } from './dto/tool-call.response.dto.js';

export function toToolCallResponse(call: ToolCall): ToolCallResponse {
  return {
    tool_execution_id: call.tool_execution_id,
    tool_name: call.tool_name,
    message_id: call.message_id,
    member_name: call.member_name,
    attempt: call.attempt,
    arguments: call.arguments,
    output: call.output,
    error: call.error,
    status: call.status,
    started_at: toWireTime(call.started_at),
    completed_at: toWireTime(call.completed_at),
    duration_ms: call.duration_ms,
    truncated: call.truncated,
  };
}
