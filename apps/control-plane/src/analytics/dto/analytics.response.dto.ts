import { OutInteger, OutObject, OutString, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class TaskRecordResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly execution_id!: string;

  @OutString()
  readonly task_id!: string;

  @OutInteger({ nullable: true })
  readonly task_number!: number | null;

  @OutString({ nullable: true })
  readonly task_description!: string | null;

  @OutString({ nullable: true })
  readonly task_type!: string | null;

  @OutString({ example: 'pending' })
  readonly status!: string;

  @OutTime({ nullable: true })
  readonly started_at!: string | null;

  @OutTime({ nullable: true })
  readonly completed_at!: string | null;

  @OutInteger({ nullable: true, description: 'Milliseconds' })
  readonly duration_ms!: number | null;

  @OutString({ nullable: true })
  readonly result!: string | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutObject()
  readonly metadata!: JsonObject;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}

/** How many of each were taken. */
export class BatchResponse {
  @OutString()
  readonly execution_id!: string;

  @OutInteger()
  readonly tasks!: number;

  @OutInteger()
  readonly tool_calls!: number;

  @OutInteger()
  readonly turns!: number;
}

export class SummaryResponse {
  @OutInteger()
  readonly total_executions!: number;

  @OutObject({ description: 'Status → number' })
  readonly executions_by_status!: Readonly<Record<string, number>>;

  @OutInteger()
  readonly total_tasks!: number;

  @OutObject({ description: 'Status → number' })
  readonly tasks_by_status!: Readonly<Record<string, number>>;

  @OutInteger()
  readonly total_tool_calls!: number;

  @OutInteger()
  readonly total_turns!: number;
}
