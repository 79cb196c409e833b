import type { JsonObject, Patch } from '@app/kernel';
import type { UsageColumns } from '../usage/usage-columns.js';
import type { ExecutionPlan } from './execution-plan.js';
import type { FixedDefinition } from '../runnables/run-definition.js';
import type { ExecutionStatus } from './execution-state.js';
import type { RetryPolicy } from './run-limits.js';
import type { RunnableSession } from '../session-turns/turn.types.js';

export const EXECUTION_TYPES = ['agent', 'team', 'workflow'] as const;
export type ExecutionType = (typeof EXECUTION_TYPES)[number];

/** The person for whom an execution runs. */
export interface ExecutionUser {
  readonly userId: string | null;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userAvatar: string | null;
}

/** `owner`: the person for whom the execution runs. `member`: a person who sent a message to it. */
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

/** An execution as clients see it. Ids are unique within an organization only: workers may choose them. */
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
  /** The session of its user that it continues; null without a session or a user. */
  readonly session_id: string | null;
  readonly trigger_type: string | null;
  /** Null: the client that created the execution runs it, and no queue delivers it. */
  readonly worker_queue_id: string | null;
  /** W3C `traceparent` whose span is the execution. */
  readonly traceparent: string | null;
}

/** What led to an execution, for its trace. Times are milliseconds since 1970. */
export interface TraceOrigin {
  /** The caller's span; null: the execution is a root of its trace. */
  readonly parent_span_id: string | null;
  /** The caller's `tracestate`. */
  readonly trace_state: string | null;
  /** When the start was accepted, before the decision of the gate. */
  readonly started_at: number;
  /** The decision of the gate; null if no policy applied. */
  readonly gate: { readonly started_at: number; readonly ended_at: number } | null;
  /** The first execution of its session for whose end it waited; absent: none. */
  readonly waits_for?: string;
}

/** An execution and the user for whom it runs. */
export type ExecutionOwner = Pick<
  Execution,
  'id' | 'execution_type' | 'entity_id' | 'user_id' | 'user_name' | 'user_email' | 'user_avatar'
>;

/** An execution with the inputs and settings its worker needs. */
export interface ExecutionWithConfig extends Execution {
  readonly trigger_metadata: JsonObject;
  /**
   * The configuration of the job, overridden by that of the trigger. Without a job: the values that the start set, for
   * example a session.
   */
  readonly config: JsonObject;
  /** As requested when the execution was started, without that of its agent, team or environment. */
  readonly execution_environment: JsonObject;
  /**
   * Whether `execution_environment` may override that of the agent, team or environment. If not, it can only add
   * variables.
   */
  readonly may_override_environment: boolean;
  /** Null for kinds whose runs follow no steps. */
  readonly definition: FixedDefinition | null;
  /** Ids of the members that it may call, as the policy gate checked them; null for kinds without members. */
  readonly callable: readonly string[] | null;
  /** What its worker chose to run; null before the choice, and if the entity was defined at the start. */
  readonly plan: ExecutionPlan | null;
  /** The usage of its ended attempts; null if none was reported. */
  readonly earlier_usage: EarlierUsage | null;
  /** Maximum duration of an attempt, in milliseconds; null: that of its runnable, otherwise `DEFAULT_TIMEOUT_MS`. */
  readonly timeout_ms: number | null;
  /** Remaining time of the attempt while it is paused or waits for input, in milliseconds. */
  readonly timeout_left_ms: number | null;
  /** Beginning of the lease, or of the last lease. */
  readonly leased_at: Date | null;
  /** Null for executions that are older than this column. */
  readonly trace_origin: TraceOrigin | null;
}

/** The sum of the usage of the ended attempts of an execution. The `usage` of the execution includes it. */
export interface EarlierUsage extends Omit<UsageColumns, 'model'> {
  readonly usage: JsonObject;
}

/** A command to the worker that holds the lease of an execution. */
export type WorkerCommandName = 'cancel' | 'pause' | 'resume';

/**
 * The inputs of the start of an execution that no other column contains, so that the start can be repeated.
 * `execution_metadata` contains some of them, but clients may replace it.
 */
export interface StartInput {
  readonly parameters?: JsonObject;
  /** Only for a run of a job. */
  readonly config_override?: JsonObject;
  readonly user_metadata?: JsonObject;
}

/** An execution with what a repetition of its start needs. */
export interface RepeatableExecution extends Pick<
  StoredExecution,
  | 'id'
  | 'execution_type'
  | 'entity_id'
  | 'prompt'
  | 'system_prompt'
  | 'user_id'
  | 'job_id'
  | 'execution_metadata'
  | 'config'
  | 'execution_environment'
  | 'start_input'
> {}

/** The row of an execution. */
export interface StoredExecution extends ExecutionWithConfig, RetryPolicy, UsageColumns {
  /** Null for executions that a client created itself, and for executions that are older than this column. */
  readonly start_input: StartInput | null;
  /**
   * The `failureCause` of `error_message`. Set if the execution failed or an earlier attempt did; null if there is
   * neither a failure nor a message.
   */
  readonly cause: string | null;
  /** As reported by the worker. */
  readonly duration_ms: number | null;
  /**
   * Time at which the current attempt became ready for its queue; in the future if a retry is delayed. Null while it
   * must not be delivered.
   */
  readonly queued_at: Date | null;
  readonly attempt: number;
  /**
   * Time at which the attempt exceeds its time limit. Set only while the attempt runs, not while it is paused or waits
   * for input.
   */
  readonly timeout_at: Date | null;
  /**
   * The current token: writes with another token are rejected. It remains after the lease if its holder ended the
   * execution.
   */
  readonly lease_token: string | null;
  /** The worker that holds the lease, or held it when another client ended the execution. */
  readonly lease_worker_id: string | null;
  /** Set if and only if a worker holds a lease. */
  readonly lease_expires_at: Date | null;
  /** Duration for which a renewal extends the lease, in milliseconds. */
  readonly lease_ms: number | null;
  /** The last command to the worker that holds the lease. */
  readonly command: WorkerCommandName | null;
  readonly command_at: Date | null;
  /**
   * Its place in the session, from 1, in the order in which the executions were accepted. Children of an execution of the
   * session have the place of their parent. Null without a session.
   */
  readonly session_turn: number | null;
}

/** A row before its first lease. */
export type NewExecution = Omit<
  StoredExecution,
  | keyof UsageColumns
  | 'duration_ms'
  | 'earlier_usage'
  | 'plan'
  | 'lease_token'
  | 'lease_worker_id'
  | 'lease_expires_at'
  | 'lease_ms'
  | 'leased_at'
  | 'command'
  | 'command_at'
  | 'timeout_at'
  | 'timeout_left_ms'
>;

/** What the `done` event of an execution contains. */
export type DoneExecution = Pick<Execution, 'id' | 'status' | 'response' | 'error_message' | 'usage' | 'completed_at'>;

/** The fields that decide whether a write is accepted. */
export type ExecutionGuards = Pick<StoredExecution, 'status' | 'lease_token' | 'job_id'>;

/** A request to create an execution. */
export interface CreateExecution {
  /** Chosen by a worker; generated if absent. An id that is in use is a conflict. */
  readonly executionId?: string;
  readonly executionType: ExecutionType;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly prompt: string | null;
  readonly systemPrompt?: string | null;
  readonly user: ExecutionUser;
  readonly jobId?: string | null;
  /** The start throws `WorkStoppedError` if this source is stopped (`WorkStops`). Absent: nothing can stop it. */
  readonly sourceId?: string;
  /** `manual`, `cron`, `webhook`, `api` and others. */
  readonly triggerType: string;
  readonly triggerMetadata?: JsonObject;
  readonly executionMetadata?: JsonObject;
  readonly parentExecutionId?: string | null;
  readonly runnerName?: string | null;
  readonly config?: JsonObject;
  readonly startInput?: StartInput;
  readonly executionEnvironment?: JsonObject;
  /** The definition that the run follows, for kinds whose runs follow steps. */
  readonly definition?: FixedDefinition | null;
  /** Ids that the run may call: the `callable` of its runnable. Members that are added later cannot be called. */
  readonly callable?: readonly string[] | undefined;
  /** The session that the run continues if `config` names none; absent: none. */
  readonly session?: RunnableSession | undefined;
  /** Whether the key that gave the execution environment had `agents:write`; absent: no. */
  readonly mayOverrideEnvironment?: boolean;
}

/** An execution that was just accepted. */
export interface StartedExecution extends Execution {
  /** The execution of its session for whose end it waits; null if it does not wait. */
  readonly waitsFor: string | null;
}

/** The worker queue that delivers an execution. */
export interface ExecutionAssignment {
  readonly workerQueueId: string;
  /** The environment of the queue. */
  readonly environmentId: string;
}

/** A request to start an execution on a worker queue. */
export interface StartExecution extends CreateExecution {
  readonly assignment: ExecutionAssignment;
}

/** The fields an update may write. Absent fields keep their values; `null` clears texts and times. */
export type UpdateExecution = Patch<{
  status: ExecutionStatus;
  started_at: Date | null;
  completed_at: Date | null;
  response: string | null;
  error_message: string | null;
  usage: JsonObject;
  execution_metadata: JsonObject;
}> & {
  /** For the status `failed`. Absent: `timeout` if the attempt exceeded its time limit, otherwise `failed`. */
  readonly failure_reason?: FailureReason;
};

/** Why a worker ended an attempt. */
export const FAILURE_REASONS = ['failed', 'timeout'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface ExecutionFilter {
  readonly status?: ExecutionStatus;
  readonly executionType?: ExecutionType;
  readonly entityId?: string;
  readonly jobId?: string;
  /** The same id names another session for each user. */
  readonly sessionId?: string;
}

/** The statuses a worker may report for a job's execution (`/job/:job_id/status`). */
export const JOB_RUN_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobRunStatus = (typeof JOB_RUN_STATUSES)[number];

export interface JobRunReport {
  readonly status: JobRunStatus;
  readonly duration_ms?: number | null;
  readonly error_message?: string | null;
  readonly failure_reason?: FailureReason;
}

/** An entry of a job's history. */
export interface JobRun {
  readonly job_id: string;
  readonly execution_id: string;
  readonly trigger_type: string | null;
  readonly status: ExecutionStatus;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  /** As reported by the worker, otherwise from start to completion. */
  readonly duration_ms: number | null;
  readonly error_message: string | null;
  readonly trigger_metadata: JsonObject;
}

/**
 * The counters of a job. They are updated in the statement that writes the execution, so they always match the rows.
 */
export interface JobCounts {
  readonly total: number;
  readonly successful: number;
  /** Failed and terminated executions. */
  readonly failed: number;
  readonly cancelled: number;
  readonly lastExecutionId: string | null;
  readonly lastExecutionAt: Date | null;
}
