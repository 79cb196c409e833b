import type { AnalyticsBatch, AnalyticsSummary, SummaryFilter, TaskRecord } from '@app/executions';
import { toWireTime, withoutUndefined, type Scope } from '@app/kernel';
import type { BatchRequest, SummaryQuery } from './dto/analytics.request.dto.js';
import type { BatchResponse, SummaryResponse, TaskRecordResponse } from './dto/analytics.response.dto.js';

export function toTaskRecordResponse(scope: Scope, task: TaskRecord): TaskRecordResponse {
  return {
    id: task.id,
    organization_id: scope.organizationId,
    execution_id: task.execution_id,
    task_id: task.task_id,
    task_number: task.task_number,
    task_description: task.task_description,
    task_type: task.task_type,
    status: task.status,
    started_at: toWireTime(task.started_at),
    completed_at: toWireTime(task.completed_at),
    duration_ms: task.duration_ms,
    result: task.result,
    error_message: task.error_message,
    metadata: task.metadata,
    created_at: toWireTime(task.created_at),
    updated_at: toWireTime(task.updated_at),
  };
}

export function toBatch({ tasks, tool_calls, turns }: BatchRequest): AnalyticsBatch {
  return { tasks: tasks ?? [], tool_calls: tool_calls ?? [], turns: turns ?? [] };
}

export function toBatchResponse(executionId: string, batch: AnalyticsBatch): BatchResponse {
  return {
    execution_id: executionId,
    tasks: batch.tasks.length,
    tool_calls: batch.tool_calls.length,
    turns: batch.turns.length,
  };
}

export function toSummaryFilter({ execution_id, time_from, time_to }: SummaryQuery): SummaryFilter {
  return withoutUndefined({ executionId: execution_id, from: time_from, to: time_to });
}

export function toSummaryResponse(summary: AnalyticsSummary): SummaryResponse {
  return {
    total_executions: summary.total_executions,
    executions_by_status: summary.executions_by_status,
    total_tasks: summary.total_tasks,
    tasks_by_status: summary.tasks_by_status,
    total_tool_calls: summary.total_tool_calls,
    total_turns: summary.total_turns,
  };
}
