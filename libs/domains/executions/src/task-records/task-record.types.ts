import type { JsonObject, Patch } from '@app/kernel';

/** A task of an execution, as its worker reports it. */
export interface TaskRecord {
  readonly id: string;
  readonly execution_id: string;
  readonly task_id: string;
  readonly task_number: number | null;
  readonly task_description: string | null;
  readonly task_type: string | null;
  /** Any text. Default: `pending`. */
  readonly status: string;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly duration_ms: number | null;
  readonly result: string | null;
  readonly error_message: string | null;
  readonly metadata: JsonObject;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The row of a task record. */
export interface StoredTaskRecord extends TaskRecord {
  readonly organization_id: string;
}

/** The row of a tool call or a turn, as the worker reported it. */
export interface StoredExecutionRecord {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly kind: RecordKind;
  readonly record_id: string;
  readonly record: JsonObject;
  readonly created_at: Date;
}

export type TaskRecordFields = Patch<Omit<TaskRecord, 'id' | 'execution_id' | 'task_id' | 'created_at' | 'updated_at'>>;

/** A record with the same execution and `task_id` is updated; absent fields keep their values. */
export interface SaveTaskRecord extends TaskRecordFields {
  /** Generated if absent. */
  readonly task_id?: string | null;
}

/** A tool call, as its worker reported it when it ended. */
export interface ToolCall {
  readonly tool_execution_id: string;
  readonly tool_name: string | null;
  readonly message_id: string | null;
  /** The member of a team that called the tool. */
  readonly member_name: string | null;
  readonly attempt: number | null;
  /** Arguments that are not an object, or were truncated, are in the key `value`. */
  readonly arguments: JsonObject | null;
  /** Text unchanged, other values as JSON. */
  readonly output: string | null;
  readonly error: string | null;
  readonly status: string | null;
  readonly started_at: Date | null;
  readonly completed_at: Date;
  readonly duration_ms: number | null;
  /** Whether arguments, output or error were truncated. */
  readonly truncated: boolean;
}

export type RecordKind = 'tool_call' | 'turn';

export interface AnalyticsBatch {
  readonly tasks: readonly SaveTaskRecord[];
  readonly tool_calls: readonly JsonObject[];
  readonly turns: readonly JsonObject[];
}
