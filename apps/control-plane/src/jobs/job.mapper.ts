import type { JobCounts, JobRun } from '@app/executions';
import { toCursor } from '@app/http';
import type { Job, JobFilter, PreviewedInstant, TriggeredJob } from '@app/jobs';
import { startMessage } from '../executions/started-execution.mapper.js';
import {
  ENVIRONMENT_SECRETS,
  presentSecrets,
  toWireTime,
  withoutUndefined,
  type PageResult,
  type Page,
} from '@app/kernel';
import { HISTORY_PAGE, type JobHistoryQuery, type ListJobsQuery } from './dto/job.request.dto.js';
import type {
  JobHistoryResponse,
  JobResponse,
  JobRunResponse,
  JobTriggerResponse,
  SchedulePreviewResponse,
} from './dto/job.response.dto.js';

/** Fields of a job response that are not columns of the job. */
export interface JobView {
  /** URL of the control plane, without a trailing slash. */
  readonly baseUrl: string;
  readonly showWebhookSecret: boolean;
  /** Whether the reader may write jobs. */
  readonly showSecrets: boolean;
  /** Current name of the entity; null if it does not exist. */
  readonly entityName: string | null;
  readonly counts: JobCounts;
  /** The newest runs, newest first. */
  readonly history: readonly JobRun[];
}

export function toJobResponse(job: Job, view: JobView): JobResponse {
  const { counts, baseUrl } = view;
  const { webhook_token: token } = job;
  return {
    id: job.id,
    organization_id: job.organization_id,
    name: job.name,
    description: job.description,
    enabled: job.enabled,
    status: job.enabled ? 'active' : 'paused',
    trigger_type: job.trigger_type,
    cron_schedule: job.cron_schedule,
    cron_timezone: job.cron_timezone,
    engine_schedule_id: job.engine_schedule_id,
    planning_mode: job.planning_mode,
    entity_type: job.entity_type,
    entity_id: job.entity_id,
    entity_name: view.entityName,
    prompt_template: job.prompt_template,
    system_prompt: job.system_prompt,
    executor_type: job.executor_type,
    worker_queue_name: job.worker_queue_name,
    environment_name: job.environment_name,
    config: job.config,
    execution_environment: presentSecrets(ENVIRONMENT_SECRETS, job.execution_environment, view.showSecrets),
    last_execution_id: counts.lastExecutionId,
    last_execution_at: toWireTime(counts.lastExecutionAt),
    next_execution_at: toWireTime(job.next_execution_at),
    total_executions: counts.total,
    successful_executions: counts.successful,
    failed_executions: counts.failed,
    execution_history: view.history.map(toJobRunResponse),
    created_by: job.created_by,
    updated_by: job.updated_by,
    created_at: toWireTime(job.created_at),
    updated_at: toWireTime(job.updated_at),
    last_triggered_at: toWireTime(counts.lastExecutionAt),
    webhook_url: token === null ? null : `${baseUrl}/api/v1/jobs/webhook/${token}`,
    webhook_secret: view.showWebhookSecret ? job.webhook_secret : null,
    webhook_signature: job.webhook_signature,
    created_by_email: job.created_by_email,
    updated_by_email: job.updated_by_email,
  };
}

export function toJobFilter({ name, enabled, status, trigger_type, entity_id }: ListJobsQuery): JobFilter {
  return withoutUndefined({ name, enabled, status, trigger_type, entity_id });
}

export function toHistoryPage(query: JobHistoryQuery): Page {
  const { limit = HISTORY_PAGE.limit, offset = HISTORY_PAGE.offset } = query;
  return { skip: offset, limit, ...toCursor(query) };
}

export function toJobHistoryResponse(
  jobId: string,
  { items, nextCursor, ...counted }: PageResult<JobRun>,
): JobHistoryResponse {
  const total = counted.total ?? null;
  return {
    job_id: jobId,
    total,
    total_count: total,
    next_cursor: nextCursor ?? null,
    executions: items.map(toJobRunResponse),
  };
}

export function toJobTriggerResponse(triggered: TriggeredJob): JobTriggerResponse {
  const { job_id, execution } = triggered;
  const hasFailed = execution.status === 'failed';
  return {
    job_id,
    execution_id: execution.id,
    workflow_id: execution.id,
    status: hasFailed ? 'failed' : 'started',
    message: hasFailed ? `Execution failed: ${execution.error_message}` : startMessage('Execution started', triggered),
  };
}

export function toSchedulePreviewResponse(instants: readonly PreviewedInstant[]): SchedulePreviewResponse {
  return {
    instants: instants.map(({ at, local, offset_minutes, note }) => ({
      at: toWireTime(at),
      local,
      offset_minutes,
      note,
    })),
  };
}

function toJobRunResponse(run: JobRun): JobRunResponse {
  return {
    execution_id: run.execution_id,
    trigger_type: run.trigger_type,
    status: run.status,
    started_at: toWireTime(run.started_at),
    completed_at: toWireTime(run.completed_at),
    duration_ms: run.duration_ms,
    error_message: run.error_message,
    trigger_metadata: run.trigger_metadata,
  };
}
