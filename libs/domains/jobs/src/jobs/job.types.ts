import {
  EXECUTION_TYPES,
  RUN_LIMIT_KEYS,
  SESSION_KEYS,
  type ExecutionType,
  type StartedExecution,
} from '@app/executions';
import type { JsonObject, Patch, Scope } from '@app/kernel';

export const TRIGGER_TYPES = ['cron', 'webhook', 'manual'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export type PlanningMode = 'on_the_fly' | `predefined_${ExecutionType}`;

const PREDEFINED = EXECUTION_TYPES.map((kind) => [`predefined_${kind}`, kind] as const);
/** By planning mode, the kind of the entity that a job with this mode must name. */
export const PREDEFINED_KINDS: ReadonlyMap<string, ExecutionType> = new Map(PREDEFINED);
export const PLANNING_MODES: readonly PlanningMode[] = ['on_the_fly', ...PREDEFINED.map(([mode]) => mode)];

/** How the calls of a webhook are authenticated: `standard` by a signature of any sender, or as a certain sender does it. */
export const WEBHOOK_SIGNATURES = ['standard', 'github', 'stripe', 'slack', 'none_with_secret_in_url'] as const;
export type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number];

export const EXECUTOR_TYPES = ['auto', 'specific_queue', 'environment'] as const;
export type ExecutorType = (typeof EXECUTOR_TYPES)[number];

/** `active` if `enabled`, otherwise `paused`. */
export const JOB_STATUSES = ['active', 'paused'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The keys of `config` that have an effect. */
export const JOB_CONFIG_KEYS = {
  ...RUN_LIMIT_KEYS,
  overlap: true,
  catchup_window_seconds: true,
  ...SESSION_KEYS,
} as const;

/** The fields a client can set. What a job names (entity, queue, environment) need not exist before it fires. */
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
  /** Has an effect only while the trigger type is webhook. */
  readonly webhook_signature: WebhookSignature;
}

export interface Job extends JobFields {
  readonly id: string;
  readonly organization_id: string;
  /**
   * Whether the key that last changed what the job runs had `agents:write`, or a key with `agents:write` has sent the
   * stored `execution_environment` again since. If not, the environment may only add variables.
   */
  readonly may_override_environment: boolean;
  /**
   * The user who last changed what runs; webhook and cron runs act for this user. Null if an older version stored the
   * job.
   */
  readonly runs_as: string | null;
  readonly runs_as_email: string | null;
  /** Id of the job's scheduler in the queue `job-schedules`; null without a schedule and while the job is disabled. */
  readonly engine_schedule_id: string | null;
  /**
   * The next time of the schedule that is not recorded as an instant; null without a schedule and while the job is
   * disabled. It is in the past only until a dispatcher records it, usually for milliseconds.
   */
  readonly next_execution_at: Date | null;
  /** Set if and only if the trigger type is webhook, like the secret. */
  readonly webhook_token: string | null;
  readonly webhook_secret: string | null;
  readonly created_by: string;
  readonly created_by_email: string | null;
  readonly updated_by: string;
  readonly updated_by_email: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The fields on which the instants of a schedule depend. */
export type ScheduledJob = Pick<
  Job,
  | 'id'
  | 'organization_id'
  | 'enabled'
  | 'trigger_type'
  | 'cron_schedule'
  | 'cron_timezone'
  | 'config'
  | 'next_execution_at'
>;

/** Row of a new job, without the columns that the repository sets. */
export type NewJob = Omit<Job, 'organization_id' | 'created_at' | 'updated_at'>;
/** `webhook_secret` is the secret of the sender; without one, the job keeps its secret or gets a random one. */
export type UpdateJob = Patch<JobFields & { readonly webhook_secret: string }>;
export type CreateJob = Pick<JobFields, 'name' | 'trigger_type' | 'prompt_template'> & UpdateJob;

export interface JobFilter {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly status?: JobStatus;
  readonly trigger_type?: TriggerType;
  readonly entity_id?: string;
}

export interface TriggerJob {
  /** Values for the placeholders of the prompt. */
  readonly parameters?: JsonObject;
  /** Overrides top-level keys of the job's `config` for this execution. */
  readonly config_override?: JsonObject;
}

export interface RerunJob extends TriggerJob {
  /** The execution that is repeated. */
  readonly rerunOf: string;
  /** Id or name; null: the queue that the job chooses. */
  readonly workerQueueId: string | null;
}

export interface TriggeredJob {
  readonly job_id: string;
  /** Already failed if something that the job names does not exist. */
  readonly execution: StartedExecution;
  /** Name of the queue of the execution if it has no live worker, otherwise null. */
  readonly unservedQueue: string | null;
  /** Placeholders of the prompt template and of the steps of a workflow without a value, which remain in the prompt. */
  readonly missingParameters: readonly string[];
}

/** An authenticated call, and its job. */
export interface SignedCall {
  /** See `VerifiedCall`. */
  readonly messageId: string | null;
  readonly call: JobWebhookCall;
  readonly job: Job;
  readonly scope: Scope;
}

/** A request to the webhook of a job. */
export interface JobWebhookCall {
  readonly rawBody: Uint8Array;
  /**
   * Parses the body; returns undefined if it is empty, throws if it is not JSON. Must be called after the signature
   * check.
   */
  readonly payload: () => unknown;
  /** By name in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  /** The query parameter `secret`. */
  readonly urlSecret: string | null;
}
