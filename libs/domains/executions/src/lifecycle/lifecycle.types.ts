import type { JsonObject } from '@app/kernel';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { StoredExecution, UpdateExecution } from '../executions/execution.types.js';
import type { Actor, LeaseChange } from '../executions/transition.types.js';
import type { UsageColumns } from '../usage/usage-columns.js';

/** The columns that change when an execution changes its phase. */
export const LIFECYCLE_COLUMNS = [
  ...(['status', 'cause', 'attempt', 'queued_at', 'started_at', 'completed_at', 'updated_at'] as const),
  ...(['lease_token', 'lease_worker_id', 'lease_expires_at', 'command', 'command_at'] as const),
  ...(['timeout_at', 'timeout_left_ms'] as const),
] satisfies readonly (keyof StoredExecution)[];

/** The columns that decide what a command does and that no command changes; claims and renewals change some of them. */
export const FIXED_COLUMNS = [
  ...(['organization_id', 'id', 'job_id', 'worker_queue_id', 'runner_name', 'lease_ms', 'timeout_ms'] as const),
  ...(['max_attempts', 'retry_on', 'retry_delay_ms', 'retry_factor', 'session_turn'] as const),
] satisfies readonly (keyof StoredExecution)[];

export type LifecycleColumns = Pick<StoredExecution, (typeof LIFECYCLE_COLUMNS)[number]>;
export type LifecycleRow = Readonly<LifecycleColumns> & Pick<StoredExecution, (typeof FIXED_COLUMNS)[number]>;

/** The clocks of a decision. */
export interface Times {
  /** Of this process: when something happened. */
  readonly now: Date;
  /** Of the database: leases, time limits and commands, which all processes compare. */
  readonly at: Date;
}

/** Who sends a command. */
export interface Sender {
  /** Must be the current token of the lease; null: the sender is not the holder. */
  readonly token: string | null;
  /** Null: the worker that holds the lease. */
  readonly actor: Actor | null;
  /** The execution must be one of this job. */
  readonly jobId?: string;
}

/** What a sender reports beside the status. */
export interface ReportedFields extends Omit<UpdateExecution, 'status'>, Partial<UsageColumns> {
  readonly duration_ms?: number;
}

/** `resume` is `run` for executions that have begun. `reset` repeats `pending`. */
export type StatusCommandName =
  'run' | 'resume' | 'reset' | 'await_input' | 'pause' | 'complete' | 'fail' | 'cancel' | 'terminate';

/** A status that a client or a worker reports, with other fields. */
export interface StatusCommand {
  readonly name: StatusCommandName;
  readonly by: Sender;
  readonly fields: ReportedFields;
  /** The failure is final, whatever the retry policy says. */
  readonly withoutRetry?: boolean;
}

/** Fields without a status; also after the end. */
export interface ReportCommand {
  readonly name: 'report';
  readonly by: Sender;
  readonly fields: ReportedFields;
}

/** The run waits for input, and its worker gives the lease back. */
export interface SuspendCommand {
  readonly name: 'suspend';
  readonly by: Sender;
  readonly fields: ReportedFields;
}

/** Input arrived for a run that is suspended until then. */
export interface WakeCommand {
  readonly name: 'wake';
  readonly by: Sender;
}

/** The lease ends, although the execution has not. */
export interface ReleaseCommand {
  readonly name: 'release';
  /** The number of attempts that the release costs. */
  readonly cost: 0 | 1;
  /** The beginning of the error message if no attempt is left. */
  readonly reason: string;
  readonly lease: LeaseChange;
  /** Whether the worker itself released the lease. Absent: the platform did. */
  readonly byWorker?: boolean;
}

/** The attempt exceeded its time limit, and its worker has not ended it. */
export interface TimeOutCommand {
  readonly name: 'time_out';
}

/** No worker will ever receive the execution. */
export interface AbandonCommand {
  readonly name: 'abandon';
  readonly reason: string;
}

/** The executions of its session before this one have ended. */
export interface TakeTurnCommand {
  readonly name: 'take_turn';
}

export type SentCommand = StatusCommand | ReportCommand | SuspendCommand | WakeCommand;
export type Command = SentCommand | ReleaseCommand | TimeOutCommand | AbandonCommand | TakeTurnCommand;
export type CommandName = Command['name'];

/** What is written beside the lifecycle. Absent fields keep their values. */
export interface WrittenContent {
  readonly response?: string | null;
  readonly error_message?: string | null;
  readonly execution_metadata?: JsonObject;
  readonly duration_ms?: number | null;
  /** The usage of the current attempt, to which the statement adds that of earlier ones. */
  readonly usage?: JsonObject;
  readonly usageColumns?: UsageColumns;
}

/** An entry of the ledger. */
export interface Note {
  readonly lease: LeaseChange | null;
  /** Time at which the attempt is due, if the change put the execution into its queue. */
  readonly queuedAt: Date | null;
  readonly actor: Actor;
  /** `isMessage`: the reason is the error message after the change. */
  readonly reason: string | null | { readonly isMessage: true };
}

/** What must follow a change. */
export type FollowingMessage =
  | { readonly topic: 'queued'; readonly queueId: string; readonly attempt: number; readonly dueAt: Date }
  | {
      readonly topic: 'finished';
      readonly from: ExecutionStatus;
      readonly delivery?: { readonly queueId: string; readonly attempt: number };
    };

export interface Change {
  readonly outcome: 'changed';
  readonly from: ExecutionStatus;
  readonly columns: LifecycleColumns;
  readonly content: WrittenContent;
  /** Whether the usage reported so far is that of ended attempts from now on. */
  readonly keepsUsage: boolean;
  /** Absent: neither status, attempt nor holder changed. */
  readonly note?: Note;
  readonly message?: FollowingMessage;
  /** When the next attempt is due, if it follows a reported failure. */
  readonly retryAt?: Date;
}

/** Nothing is written: the command repeats one that was carried out. */
export interface Repetition {
  readonly outcome: 'repeated';
}

export interface Refusal {
  readonly outcome: 'refused';
  readonly why: 'other_job' | 'lease_lost' | 'transition';
  /** The current status. */
  readonly from: ExecutionStatus;
}

export type Decision = Change | Repetition | Refusal;
