import type { JsonObject, Patch } from '@app/kernel';
import type { ExecutionStatus } from './execution-state.js';

export const EXECUTION_TYPES = ['agent', 'team', 'workflow'] as const;
export type ExecutionType = (typeof EXECUTION_TYPES)[number];

/** The person an execution runs for. */
export interface ExecutionUser {
  readonly userId: string | null;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userAvatar: string | null;
}

/** The owner is the person it runs for; members wrote into it. */
export type ParticipantRole = 'owner' | 'member';

export interface Participant {
  readonly id: string;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_email: string | null;
  readonly user_avatar: string | null;
  readonly role: ParticipantRole;
  /** RFC 3339. */
  readonly joined_at: string;
  readonly last_active_at: string;
}

/** An execution as everybody may see it. Ids are unique within an organisation only: workers may choose them. */
export interface Execution {
  readonly id: string;
  readonly organization_id: string;
  readonly execution_type: ExecutionType;
  readonly entity_id: string | null;
  readonly entity_name: string | null;
  readonly prompt: string | null;
  readonly system_prompt: string | null;
  readonly status: ExecutionStatus;
  readonly response: string | null;
  readonly error_message: string | null;
  readonly runner_name: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_email: string | null;
  readonly user_avatar: string | null;
  readonly usage: JsonObject;
  readonly execution_metadata: JsonObject;
  readonly participants: readonly Participant[];
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly updated_at: Date;
  readonly last_message_at: Date | null;
  readonly last_message_preview: string | null;
  readonly job_id: string | null;
  readonly parent_execution_id: string | null;
  readonly trigger_type: string | null;
  readonly worker_queue_id: string | null;
}

/** What a worker needs beyond that. */
export interface ExecutionOrder extends Execution {
  readonly trigger_metadata: JsonObject;
  /** The job's configuration with the trigger's override over it; `{}` without a job. */
  readonly config: JsonObject;
  /** As given to the start of this execution, not yet merged with that of its agent, team or environment. */
  readonly execution_environment: JsonObject;
  /** W3C `traceparent` of the request that started it. */
  readonly traceparent: string | null;
}

/** What every start says. `null` means not given. */
export interface ExecutionOrigin {
  /** Chosen by a worker; otherwise one is made. Taken already: conflict. */
  readonly executionId?: string;
  readonly executionType: ExecutionType;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly prompt: string | null;
  readonly systemPrompt?: string | null;
  readonly user: ExecutionUser;
  readonly jobId?: string | null;
  /** manual, cron, webhook, api, … */
  readonly triggerType: string;
  readonly triggerMetadata?: JsonObject;
  readonly executionMetadata?: JsonObject;
  readonly parentExecutionId?: string | null;
  readonly runnerName?: string | null;
  readonly config?: JsonObject;
  readonly executionEnvironment?: JsonObject;
}

/** Where an execution is to run. */
export interface ExecutionPlace {
  readonly workerQueueId: string;
  /** The environment the queue belongs to. */
  readonly environmentId: string;
}

/** A start whose worker queue is known. */
export interface StartExecution extends ExecutionOrigin {
  readonly place: ExecutionPlace;
}

/** What an update may write. Absent means keep; `null` clears texts and times. */
export type UpdateExecution = Patch<{
  status: ExecutionStatus;
  started_at: Date | null;
  completed_at: Date | null;
  response: string | null;
  error_message: string | null;
  usage: JsonObject;
  execution_metadata: JsonObject;
}>;

export interface ExecutionFilter {
  readonly status?: ExecutionStatus;
  readonly executionType?: ExecutionType;
  readonly entityId?: string;
  readonly jobId?: string;
}

/** The V2 status a worker reports for a job's execution. */
export const JOB_RUN_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobRunStatus = (typeof JOB_RUN_STATUSES)[number];

export interface JobRunReport {
  readonly status: JobRunStatus;
  readonly duration_ms?: number | null;
  readonly error_message?: string | null;
}

/** One line of a job's history. */
export interface JobRun {
  readonly job_id: string;
  readonly execution_id: string;
  readonly trigger_type: string | null;
  readonly status: ExecutionStatus;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  /** As the worker reported it, else from start to completion. */
  readonly duration_ms: number | null;
  readonly error_message: string | null;
  readonly trigger_metadata: JsonObject;
}

/** A job's counters. They change with the execution's row, so they always say what the rows say. */
export interface JobCounts {
  readonly total: number;
  readonly successful: number;
  /** Failed and terminated ones. */
  readonly failed: number;
  readonly cancelled: number;
  readonly lastExecutionId: string | null;
  readonly lastExecutionAt: Date | null;
}
