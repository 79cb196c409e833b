import type {
  AnalyticsBatch,
  AnalyticsSummary,
  ExecutionType,
  AnalyticsSummaryFilter,
  TaskRecord,
  UsageGroup,
  UsageTotals,
} from '@app/executions';
import { toWireTime, withoutUndefined, type Scope } from '@app/kernel';
import type { BatchRequest, AnalyticsSummaryQuery } from './dto/analytics.request.dto.js';
import type {
  BatchResponse,
  ModelUsageResponse,
  AnalyticsSummaryResponse,
  TaskRecordResponse,
  UsageResponse,
} from './dto/analytics.response.dto.js';

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

export function toAnalyticsSummaryFilter({
  execution_id,
  time_from,
  time_to,
}: AnalyticsSummaryQuery): AnalyticsSummaryFilter {
  return withoutUndefined({ executionId: execution_id, from: time_from, to: time_to });
}

export function toAnalyticsSummaryResponse(summary: AnalyticsSummary, names: RunnableNames): AnalyticsSummaryResponse {
  const { by_agent, by_team, by_model, by_day, durations } = summary;
  return {
    total_executions: summary.total_executions,
    executions_by_status: summary.executions_by_status,
    total_tasks: summary.total_tasks,
    tasks_by_status: summary.tasks_by_status,
    total_tool_calls: summary.total_tool_calls,
    total_turns: summary.total_turns,
    input_tokens: summary.input_tokens,
    output_tokens: summary.output_tokens,
    total_tokens: summary.total_tokens,
    cost: summary.cost,
    by_agent: by_agent.map((group) => ({ ...entityOf(group, names.get('agent')), ...toGroupUsage(group) })),
    by_team: by_team.map((group) => ({ ...entityOf(group, names.get('team')), ...toGroupUsage(group) })),
    by_model: by_model.map((group) => ({ model: group.key, ...toGroupUsage(group) })),
    by_day: by_day.map((usage) => ({ day: usage.day, ...toUsage(usage) })),
    durations: {
      count: durations.count,
      p50_ms: durations.p50_ms,
      p90_ms: durations.p90_ms,
      p95_ms: durations.p95_ms,
      p99_ms: durations.p99_ms,
    },
  };
}

/** By kind and id. */
type RunnableNames = ReadonlyMap<ExecutionType, ReadonlyMap<string, string>>;

function entityOf(
  { key: id }: UsageGroup,
  names: ReadonlyMap<string, string> | undefined,
): { id: string; name: string | null } {
  return { id, name: names?.get(id) ?? null };
}

function toGroupUsage(group: UsageGroup): Omit<ModelUsageResponse, 'model'> {
  return { ...toUsage(group), executions_by_status: group.executions_by_status };
}

function toUsage({ executions, input_tokens, output_tokens, total_tokens, cost }: UsageTotals): UsageResponse {
  return { executions, input_tokens, output_tokens, total_tokens, cost };
}
