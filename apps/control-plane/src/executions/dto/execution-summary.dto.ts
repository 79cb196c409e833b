import {
  CursorField,
  EnumField,
  QueryIntegerField,
  QueryListField,
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseNumber,
  ResponseString,
  ResponseTime,
  StringField,
  TimeField,
} from '@app/http';
import {
  EXECUTION_STATUSES,
  EXECUTION_TYPES,
  SUMMARY_ORDERS,
  type ExecutionStatus,
  type ExecutionType,
  type SummaryOrder,
} from '@app/executions';

const STATUSES =
  '`pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`';

export class ExecutionSummaryFilterQuery {
  @EnumField(SUMMARY_ORDERS, {
    empty: 'keep',
    default: '-created_at',
    description:
      'Order, `-` is descending. `-completed_at` lists only executions that have ended, `queued_at` only unfinished ones that were queued. Default `-created_at`',
  })
  readonly order?: SummaryOrder;

  @QueryListField({
    values: EXECUTION_STATUSES,
    anyCase: true,
    description: `Statuses, separated by commas. ${STATUSES}`,
  })
  readonly status?: ExecutionStatus[];

  @QueryListField({ maxItems: 200, description: 'Execution ids, separated by commas, at most 200' })
  readonly id?: string[];

  @EnumField(EXECUTION_TYPES, {
    empty: 'keep',
    anyCase: true,
    description: 'Kind of entity that runs; case is ignored',
  })
  readonly execution_type?: ExecutionType;

  @StringField({ empty: 'keep' })
  readonly entity_id?: string;

  @StringField({ empty: 'keep', description: 'Job id' })
  readonly job_id?: string;

  @StringField({ empty: 'keep', description: 'Worker queue id' })
  readonly worker_queue_id?: string;

  @StringField({ empty: 'keep', description: 'Worker id, as in `worker_id` of the items' })
  readonly worker_id?: string;

  @StringField({ empty: 'keep' })
  readonly parent_execution_id?: string;

  @StringField({
    empty: 'keep',
    description: 'The `session_id` of a session. It is unique for a user: with `user_id`, it is one session',
  })
  readonly session_id?: string;

  @StringField({ empty: 'keep', description: 'Id of the user for whom the execution runs' })
  readonly user_id?: string;

  @StringField({
    empty: 'keep',
    description: 'What started the execution: `manual`, `cron`, `webhook`, `api` and others',
  })
  readonly trigger_type?: string;

  @StringField({
    empty: 'keep',
    description: 'Hash of the cause of the failure: the `cause` of `/analytics/executions/failures`',
  })
  readonly cause?: string;

  @QueryIntegerField({ min: 1, description: 'Minimum number of the current attempt, from 1' })
  readonly min_attempt?: number;

  @TimeField({ empty: 'keep', description: 'Earliest time in the column that `order` names, inclusive' })
  readonly from?: Date;

  @TimeField({ empty: 'keep', description: 'Latest time in the column that `order` names, exclusive' })
  readonly to?: Date;
}

export const SUMMARY_PAGE_SIZE = 50;

export class ListExecutionSummariesQuery extends ExecutionSummaryFilterQuery {
  @CursorField()
  readonly cursor?: string;

  @QueryIntegerField({
    min: 1,
    max: 200,
    default: SUMMARY_PAGE_SIZE,
    description: 'Maximum number of rows, 1 to 200. Default 50',
  })
  readonly limit?: number;
}

export class ExecutionSummaryResponse {
  @ResponseString({ description: 'Execution id: a UUIDv7, or the id that the creator chose' })
  readonly id!: string;

  @ResponseString({ enum: EXECUTION_TYPES, description: 'Kind of entity that runs' })
  readonly execution_type!: ExecutionType;

  @ResponseString({ nullable: true })
  readonly entity_id!: string | null;

  @ResponseString({ nullable: true })
  readonly entity_name!: string | null;

  @ResponseString({ enum: EXECUTION_STATUSES, description: `Status. ${STATUSES}` })
  readonly status!: ExecutionStatus;

  @ResponseString({ nullable: true, description: 'What started the execution; null if unknown' })
  readonly trigger_type!: string | null;

  @ResponseString({ nullable: true })
  readonly job_id!: string | null;

  @ResponseString({ nullable: true })
  readonly parent_execution_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'The `session_id` of the session to which it belongs; null without one',
  })
  readonly session_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Id of the worker queue that delivers the execution; null without one',
  })
  readonly worker_queue_id!: string | null;

  @ResponseString({
    nullable: true,
    description:
      'Id of the worker that holds the lease, or held it when another client or the time limit ended the execution; otherwise null',
  })
  readonly worker_id!: string | null;

  @ResponseInteger({ description: 'Number of the current attempt, from 1' })
  readonly attempt!: number;

  @ResponseInteger({ description: 'Maximum number of attempts' })
  readonly max_attempts!: number;

  @ResponseString({ nullable: true, description: 'Id of the user for whom the execution runs; null if unknown' })
  readonly user_id!: string | null;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true, description: 'First 300 characters of the error message; null without an error' })
  readonly error_message!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Cause of the failure, equal for similar failures; null without one',
  })
  readonly cause!: string | null;

  @ResponseString({ nullable: true })
  readonly last_message_preview!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime({
    nullable: true,
    description: 'Time at which the current attempt was queued; null if it is not queued',
  })
  readonly queued_at!: string | null;

  @ResponseTime({ nullable: true })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true })
  readonly completed_at!: string | null;

  @ResponseTime()
  readonly updated_at!: string;

  @ResponseNumber({ nullable: true, description: 'Duration of the run in milliseconds; null before its end' })
  readonly duration_ms!: number | null;

  @ResponseInteger({
    nullable: true,
    description: '`total_tokens` of the usage; null if the usage does not contain it or exceeds 10,000 bytes',
  })
  readonly total_tokens!: number | null;
}

export class ExecutionSummaryPageResponse {
  @ResponseList(ExecutionSummaryResponse, { description: 'Summaries in the requested order' })
  readonly items!: readonly ExecutionSummaryResponse[];

  @ResponseString({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  readonly next_cursor!: string | null;
}

export class ExecutionSummaryCountResponse {
  @ResponseInteger({ description: 'Number of executions, at most 10000' })
  readonly count!: number;

  @ResponseBoolean({ description: 'Whether the number is exact; false if there are more' })
  readonly exact!: boolean;
}
