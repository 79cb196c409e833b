import type { Execution, ExecutionFilter, CreateExecution, ExecutionStatus, JobRunStatus } from '@app/executions';
import { toWireTime, withoutUndefined, type Caller } from '@app/kernel';
import type { CreateExecutionRequest, ListExecutionsQuery } from './dto/execution.request.dto.js';
import type { CreatedExecutionResponse, JobExecutionStatusResponse } from './dto/execution.response.dto.js';

export function toCreatedExecutionResponse({ id, status, created_at }: Execution): CreatedExecutionResponse {
  return { execution_id: id, status, created_at: toWireTime(created_at) };
}

/** The status in the response to a job report (`/job/:job_id/status`), by execution status. It has fewer values. */
const JOB_RUN_STATUS: Readonly<Record<ExecutionStatus, JobRunStatus>> = {
  pending: 'pending',
  running: 'running',
  waiting_for_input: 'running',
  paused: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'failed',
};

export function toJobExecutionStatusResponse(jobId: string, { id, status }: Execution): JobExecutionStatusResponse {
  return { job_id: jobId, execution_id: id, status: JOB_RUN_STATUS[status] };
}

export function toCreateExecution(caller: Caller, request: CreateExecutionRequest): CreateExecution {
  return {
    ...(request.execution_id === undefined ? {} : { executionId: request.execution_id }),
    executionType: request.execution_type ?? 'agent',
    entityId: request.entity_id ?? null,
    entityName: request.entity_name ?? null,
    prompt: request.prompt ?? null,
    systemPrompt: request.system_prompt ?? null,
    runnerName: request.runner_name ?? null,
    user: caller,
    jobId: request.job_id ?? null,
    parentExecutionId: request.parent_execution_id ?? null,
    triggerType: request.trigger_type ?? 'api',
    triggerMetadata: request.trigger_metadata ?? {},
    executionMetadata: request.execution_metadata ?? {},
  };
}

export function toExecutionFilter(query: ListExecutionsQuery): ExecutionFilter {
  const { status, execution_type: executionType, entity_id: entityId, job_id: jobId, session_id: sessionId } = query;
  return withoutUndefined({ status, executionType, entityId, jobId, sessionId });
}
