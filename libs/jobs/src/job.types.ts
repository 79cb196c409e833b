import type { Execution, JobCounts, JobRun } from '@app/executions';
import type { JsonObject, Patch, Scope } from '@app/kernel';

export const TRIGGER_TYPES = ['cron', 'webhook', 'manual'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const PLANNING_MODES = ['on_the_fly', 'predefined_agent', 'predefined_team', 'predefined_workflow'] as const;
export type PlanningMode = (typeof PLANNING_MODES)[number];

export const EXECUTOR_TYPES = ['auto', 'specific_queue', 'environment'] as const;
export type ExecutorType = (typeof EXECUTOR_TYPES)[number];

/** The word for `enabled` and its opposite. */
export const JOB_STATUSES = ['active', 'paused'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a client may say of a job. What it names (entity, queue, environment) need not exist before the job fires. */
export interface JobFields {
  /** Not unique. */
  readonly name: string;
  readonly trigger_type: TriggerType;
  /** See `renderTemplate`. */
  readonly prompt_template: string;
  readonly description: string | null;
  readonly enabled: boolean;
  readonly cron_schedule: string | null;
  readonly cron_timezone: string;
  readonly planning_mode: PlanningMode;
  readonly entity_type: string | null;
  readonly entity_id: string | null;
  readonly system_prompt: string | null;
  readonly executor_type: ExecutorType;
  /** Id or name. */
  readonly worker_queue_name: string | null;
  /** Id or name. */
  readonly environment_name: string | null;
  readonly config: JsonObject;
  readonly execution_environment: JsonObject;
}

export interface StoredJob extends JobFields {
  readonly id: string;
  readonly organization_id: string;
  /** The queue engine's schedule of this job; `null` while it has none. */
  readonly engine_schedule_id: string | null;
  /** Set exactly while the trigger type is webhook, like the secret. */
  readonly webhook_token: string | null;
  readonly webhook_secret: string | null;
  readonly created_by: string;
  readonly created_by_email: string | null;
  readonly updated_by: string;
  readonly updated_by_email: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Job extends StoredJob {
  readonly status: JobStatus;
  /** The name the entity has now; `null` where there is no such entity. */
  readonly entity_name: string | null;
  /** When the schedule comes due next; `null` for other triggers and for a paused job. */
  readonly next_execution_at: Date | null;
  readonly counts: JobCounts;
  /** The newest runs, newest first. */
  readonly history: readonly JobRun[];
}

export type CreateJob = Pick<JobFields, 'name' | 'trigger_type' | 'prompt_template'> & Patch<JobFields>;
export type UpdateJob = Patch<JobFields>;

export interface JobFilter {
  readonly enabled?: boolean;
  readonly status?: JobStatus;
  readonly trigger_type?: TriggerType;
  readonly entity_id?: string;
}

/** What one firing says. */
export interface TriggerJob {
  /** For the placeholders of the prompt. */
  readonly parameters?: JsonObject;
  /** Laid over the job's `config`, key by key, for this execution only. */
  readonly config_override?: JsonObject;
}

export interface TriggeredJob {
  readonly job_id: string;
  /** It has failed already where something it needs is missing. */
  readonly execution: Execution;
}

/** A request to a job's webhook address, as it came. Absent headers are `null`. */
/** A call whose signature holds, and the job it is for. */
export interface SignedCall {
  readonly call: WebhookCall;
  readonly job: StoredJob;
  readonly scope: Scope;
}

export interface WebhookCall {
  readonly rawBody: Uint8Array;
  /** Parses the body; `undefined` when there was none. Throws where it is no JSON, which only a signed call is told. */
  readonly payload: () => unknown;
  /** `X-Webhook-Signature`. */
  readonly signature: string | null;
  /** `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks. */
  readonly webhookId: string | null;
  readonly webhookTimestamp: string | null;
  readonly webhookSignature: string | null;
}
