import {
  ResponseInteger,
  ResponseList,
  ResponseNested,
  ResponseNumber,
  ResponseObject,
  ResponseString,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';

export class TaskRecordResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString()
  readonly execution_id!: string;

  @ResponseString()
  readonly task_id!: string;

  @ResponseInteger({ nullable: true })
  readonly task_number!: number | null;

  @ResponseString({ nullable: true })
  readonly task_description!: string | null;

  @ResponseString({ nullable: true })
  readonly task_type!: string | null;

  @ResponseString({ example: 'pending', description: 'Status of the task, chosen by the worker' })
  readonly status!: string;

  @ResponseTime({ nullable: true })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true })
  readonly completed_at!: string | null;

  @ResponseInteger({ nullable: true, description: 'Duration in milliseconds; null if unknown' })
  readonly duration_ms!: number | null;

  @ResponseString({ nullable: true })
  readonly result!: string | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

/** Number of saved items of each kind. */
export class BatchResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseInteger({ description: 'Number of saved task records' })
  readonly tasks!: number;

  @ResponseInteger({ description: 'Number of saved tool calls' })
  readonly tool_calls!: number;

  @ResponseInteger({ description: 'Number of saved turns' })
  readonly turns!: number;
}

export class UsageResponse {
  @ResponseInteger({ description: 'Number of executions' })
  readonly executions!: number;

  @ResponseInteger({ description: 'Tokens of prompts' })
  readonly input_tokens!: number;

  @ResponseInteger({ description: 'Tokens of responses' })
  readonly output_tokens!: number;

  @ResponseInteger({ description: 'All tokens' })
  readonly total_tokens!: number;

  @ResponseNumber({
    description: 'Cost in the currency of the model prices, at the prices of the time at which the usage was reported',
  })
  readonly cost!: number;
}

class GroupUsageResponse extends UsageResponse {
  @ResponseObject({ description: 'Number of executions by status' })
  readonly executions_by_status!: Readonly<Record<string, number>>;
}

export class EntityUsageResponse extends GroupUsageResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ nullable: true, description: 'Current name of the agent or team; null if it was deleted' })
  readonly name!: string | null;
}

export class ModelUsageResponse extends GroupUsageResponse {
  @ResponseString({ description: 'Name of the model that the executions reported' })
  readonly model!: string;
}

export class DayUsageResponse extends UsageResponse {
  @ResponseString({ example: '2026-05-05', description: 'Day, UTC' })
  readonly day!: string;
}

export class DurationsResponse {
  @ResponseInteger({ description: 'Number of executions that ended' })
  readonly count!: number;

  @ResponseInteger({ nullable: true, description: 'Median in milliseconds, within 2 %; null if none ended' })
  readonly p50_ms!: number | null;

  @ResponseInteger({ nullable: true, description: '90th percentile in milliseconds, within 2 %; null if none ended' })
  readonly p90_ms!: number | null;

  @ResponseInteger({ nullable: true, description: '95th percentile in milliseconds, within 2 %; null if none ended' })
  readonly p95_ms!: number | null;

  @ResponseInteger({ nullable: true, description: '99th percentile in milliseconds, within 2 %; null if none ended' })
  readonly p99_ms!: number | null;
}

export class AnalyticsSummaryResponse {
  @ResponseInteger()
  readonly total_executions!: number;

  @ResponseObject({ description: 'Number of executions by status' })
  readonly executions_by_status!: Readonly<Record<string, number>>;

  @ResponseInteger({ description: 'Number of task records' })
  readonly total_tasks!: number;

  @ResponseObject({ description: 'Number of task records by status: the 100 most frequent ones' })
  readonly tasks_by_status!: Readonly<Record<string, number>>;

  @ResponseInteger({ description: 'Number of tool calls' })
  readonly total_tool_calls!: number;

  @ResponseInteger({ description: 'Number of turns' })
  readonly total_turns!: number;

  @ResponseInteger({ description: 'Tokens of prompts' })
  readonly input_tokens!: number;

  @ResponseInteger({ description: 'Tokens of responses' })
  readonly output_tokens!: number;

  @ResponseInteger({ description: 'All tokens' })
  readonly total_tokens!: number;

  @ResponseNumber({
    description: 'Cost in the currency of the model prices, at the prices of the time at which the usage was reported',
  })
  readonly cost!: number;

  @ResponseList(EntityUsageResponse, {
    description:
      'The 100 agents with the highest cost, of the first 1,000 that the organization uses in each period of 30 days',
  })
  readonly by_agent!: EntityUsageResponse[];

  @ResponseList(EntityUsageResponse, {
    description:
      'The 100 teams with the highest cost, of the first 1,000 that the organization uses in each period of 30 days',
  })
  readonly by_team!: EntityUsageResponse[];

  @ResponseList(ModelUsageResponse, {
    description:
      'The 100 models with the highest cost, of the first 1,000 that the organization uses in each period of 30 days',
  })
  readonly by_model!: ModelUsageResponse[];

  @ResponseList(DayUsageResponse, { description: 'Executions by day of creation, in order' })
  readonly by_day!: DayUsageResponse[];

  @ResponseNested(DurationsResponse, { description: 'Durations of the executions that ended' })
  readonly durations!: DurationsResponse;
}
