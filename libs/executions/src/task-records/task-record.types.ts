import type { JsonObject, Patch } from '@app/kernel';

/** A step of an execution, as its worker tracks it. */
export interface TaskRecord {
  readonly id: string;
  readonly execution_id: string;
  readonly task_id: string;
  readonly task_number: number | null;
  readonly task_description: string | null;
  readonly task_type: string | null;
  /** Any text; `pending` at first. */
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

export type TaskRecordFields = Patch<Omit<TaskRecord, 'id' | 'execution_id' | 'task_id' | 'created_at' | 'updated_at'>>;

/** The same task again (execution and task_id) updates the record: what is not given stays. */
export interface SaveTaskRecord extends TaskRecordFields {
  /** Absent: one is made. */
  readonly task_id?: string | null;
}

export type RecordKind = 'tool_call' | 'turn';

export interface AnalyticsBatch {
  readonly tasks: readonly SaveTaskRecord[];
  readonly tool_calls: readonly JsonObject[];
  readonly turns: readonly JsonObject[];
}

export interface SummaryFilter {
  readonly executionId?: string;
  readonly from?: Date;
  readonly to?: Date;
}

export interface AnalyticsSummary {
  readonly total_executions: number;
  readonly executions_by_status: Readonly<Record<string, number>>;
  readonly total_tasks: number;
  readonly tasks_by_status: Readonly<Record<string, number>>;
  readonly total_tool_calls: number;
  readonly total_turns: number;
}
