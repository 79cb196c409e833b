import type { ExecutionSummary, ExecutionSummaryFilter } from '@app/executions';
import { toCursor } from '@app/http';
import { toWireTime, withoutUndefined, type Page, type PageResult } from '@app/kernel';
import {
  SUMMARY_PAGE_SIZE,
  type ExecutionSummaryFilterQuery,
  type ExecutionSummaryPageResponse,
  type ExecutionSummaryResponse,
  type ListExecutionSummariesQuery,
} from './dto/execution-summary.dto.js';

export function toExecutionSummaryFilter(query: ExecutionSummaryFilterQuery): ExecutionSummaryFilter {
  return withoutUndefined({
    ids: query.id,
    statuses: query.status,
    executionType: query.execution_type,
    entityId: query.entity_id,
    jobId: query.job_id,
    workerQueueId: query.worker_queue_id,
    workerId: query.worker_id,
    parentExecutionId: query.parent_execution_id,
    sessionId: query.session_id,
    userId: query.user_id,
    triggerType: query.trigger_type,
    cause: query.cause,
    minAttempt: query.min_attempt,
    from: query.from,
    to: query.to,
  });
}

export function toExecutionSummaryPage({ limit = SUMMARY_PAGE_SIZE, ...query }: ListExecutionSummariesQuery): Page {
  return { skip: 0, limit, ...toCursor(query) };
}

export function toExecutionSummaryPageResponse({
  items,
  nextCursor,
}: PageResult<ExecutionSummary>): ExecutionSummaryPageResponse {
  return { items: items.map(toSummaryResponse), next_cursor: nextCursor ?? null };
}

function toSummaryResponse(summary: ExecutionSummary): ExecutionSummaryResponse {
  return {
    id: summary.id,
    execution_type: summary.execution_type,
    entity_id: summary.entity_id,
    entity_name: summary.entity_name,
    status: summary.status,
    trigger_type: summary.trigger_type,
    job_id: summary.job_id,
    parent_execution_id: summary.parent_execution_id,
    session_id: summary.session_id,
    worker_queue_id: summary.worker_queue_id,
    worker_id: summary.worker_id,
    attempt: summary.attempt,
    max_attempts: summary.max_attempts,
    user_id: summary.user_id,
    user_name: summary.user_name,
    error_message: summary.error_message,
    cause: summary.cause,
    last_message_preview: summary.last_message_preview,
    created_at: toWireTime(summary.created_at),
    queued_at: toWireTime(summary.queued_at),
    started_at: toWireTime(summary.started_at),
    completed_at: toWireTime(summary.completed_at),
    updated_at: toWireTime(summary.updated_at),
    duration_ms: summary.duration_ms,
    total_tokens: summary.total_tokens,
  };
}
