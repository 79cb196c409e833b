import type { Execution, ExecutionFilter, CreateExecution, ExecutionStatus, JobRunStatus } from '@app/executions';
import { toWireTime, withoutUndefined, type Caller } from '@app/kernel';
import type { CreateExecutionRequest, ListExecutionsQuery } from './dto/execution.request.dto.js';
import type {
  CreatedExecutionResponse,
  ExecutionResponse,
  JobExecutionStatusResponse,
} from './dto/execution.response.dto.js';

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
    participants: execution.participants.map((participant) => ({
      id: participant.id,
      user_id: participant.user_id,
      user_name: participant.user_name,
      user_email: participant.user_email,
      user_avatar: participant.user_avatar,
      role: participant.role,
      joined_at: participant.joined_at,
      last_active_at: participant.last_active_at,
    })),
  };
}

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
  const { status, execution_type, entity_id, job_id } = query;
  return withoutUndefined({ status, executionType: execution_type, entityId: entity_id, jobId: job_id });
}
