import type { ExecutionStatus } from '../executions/execution-state.js';
import type { ExecutionType, StoredExecution } from '../executions/execution.types.js';

/** The orders of summaries; `-` means descending. The period of a filter applies to the column of the order. */
export const SUMMARY_ORDERS = ['-created_at', 'created_at', '-completed_at', 'queued_at'] as const;
export type SummaryOrder = (typeof SUMMARY_ORDERS)[number];

/** The columns of an execution that a summary contains. */
export const SUMMARY_COLUMNS = [
  ...(['id', 'execution_type', 'entity_id', 'entity_name', 'status', 'trigger_type', 'job_id'] as const),
  ...([
    'parent_execution_id',
    'session_id',
    'worker_queue_id',
    'attempt',
    'max_attempts',
    'user_id',
    'user_name',
    'cause',
  ] as const),
  ...(['last_message_preview', 'created_at', 'queued_at', 'started_at', 'completed_at', 'updated_at'] as const),
] as const satisfies (keyof StoredExecution)[];

/** An execution without its texts and free-form objects. */
export interface ExecutionSummary extends Pick<StoredExecution, (typeof SUMMARY_COLUMNS)[number]> {
  /** The worker that holds the lease, or held it when another client ended the execution. */
  readonly worker_id: string | null;
  /** The first 300 characters. */
  readonly error_message: string | null;
  readonly duration_ms: number | null;
  /** Null if the usage contains no valid total, or is larger than 10,000 bytes. */
  readonly total_tokens: number | null;
}

/** Absent fields do not restrict. A list has at least one item. */
export interface ExecutionSummaryFilter {
  readonly ids?: readonly string[];
  readonly statuses?: readonly ExecutionStatus[];
  readonly executionType?: ExecutionType;
  readonly entityId?: string;
  readonly jobId?: string;
  readonly workerQueueId?: string;
  readonly workerId?: string;
  readonly parentExecutionId?: string;
  /** The same id names another session for each user. */
  readonly sessionId?: string;
  readonly userId?: string;
  readonly triggerType?: string;
  readonly cause?: string;
  readonly minAttempt?: number;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

export interface SummaryCount {
  readonly count: number;
  /** False if there are more than `count`. */
  readonly exact: boolean;
}
