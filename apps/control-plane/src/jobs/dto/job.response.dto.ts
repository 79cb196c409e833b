import { EXECUTION_STATUSES } from '@app/executions';
import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseString,
  ResponseTime,
} from '@app/http';
import {
  EXECUTOR_TYPES,
  INSTANT_NOTES,
  JOB_STATUSES,
  PLANNING_MODES,
  TRIGGER_TYPES,
  WEBHOOK_SIGNATURES,
} from '@app/jobs';
import type { JsonObject } from '@app/kernel';

export class JobRunResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ nullable: true, description: 'Trigger of this run; null if unknown' })
  readonly trigger_type!: string | null;

  @ResponseString({ enum: EXECUTION_STATUSES, description: 'Status of the execution' })
  readonly status!: string;

  @ResponseTime({ nullable: true })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true })
  readonly completed_at!: string | null;

  @ResponseInteger({ nullable: true, description: 'Duration in milliseconds; null until the run ends' })
  readonly duration_ms!: number | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;

  @ResponseObject({ description: 'Metadata of the webhook call; `scheduled_at` for runs of a schedule' })
  readonly trigger_metadata!: JsonObject;
}

export class JobResponse {
  @ResponseString({ description: 'Job id: `job_` and a UUIDv7' })
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseBoolean({ description: 'Whether triggers start executions' })
  readonly enabled!: boolean;

  @ResponseString({ enum: JOB_STATUSES, description: '`active` while enabled, else `paused`' })
  readonly status!: string;

  @ResponseString({ enum: TRIGGER_TYPES })
  readonly trigger_type!: string;

  @ResponseString({ nullable: true, description: 'Cron expression; null for jobs without a schedule' })
  readonly cron_schedule!: string | null;

  @ResponseString()
  readonly cron_timezone!: string;

  @ResponseString({
    nullable: true,
    description: 'Id of the scheduler in BullMQ; null without a schedule and while the job is disabled',
  })
  readonly engine_schedule_id!: string | null;

  @ResponseString({ enum: PLANNING_MODES })
  readonly planning_mode!: string;

  @ResponseString({
    nullable: true,
    description: 'Kind of the entity, which overrides that of `planning_mode`; null if the job gives none',
  })
  readonly entity_type!: string | null;

  @ResponseString({ nullable: true })
  readonly entity_id!: string | null;

  @ResponseString({ nullable: true, description: 'Current name of the entity; null if it does not exist' })
  readonly entity_name!: string | null;

  @ResponseString()
  readonly prompt_template!: string;

  @ResponseString({ nullable: true, description: 'System prompt that replaces that of the agent; null for none' })
  readonly system_prompt!: string | null;

  @ResponseString({ enum: EXECUTOR_TYPES })
  readonly executor_type!: string;

  @ResponseString({ nullable: true, description: 'Worker queue id or name; null without one' })
  readonly worker_queue_name!: string | null;

  @ResponseString({ nullable: true, description: 'Environment id or name; null without one' })
  readonly environment_name!: string | null;

  @ResponseObject({ description: 'Free-form configuration, for example `timeout_seconds` and `retry_policy`' })
  readonly config!: JsonObject;

  @ResponseObject()
  readonly execution_environment!: JsonObject;

  @ResponseString({ nullable: true })
  readonly last_execution_id!: string | null;

  @ResponseTime({ nullable: true })
  readonly last_execution_at!: string | null;

  @ResponseTime({
    nullable: true,
    description:
      'Next time of the schedule, updated after that time; null for jobs without a schedule and for paused jobs',
  })
  readonly next_execution_at!: string | null;

  @ResponseInteger()
  readonly total_executions!: number;

  @ResponseInteger()
  readonly successful_executions!: number;

  @ResponseInteger()
  readonly failed_executions!: number;

  @ResponseList(JobRunResponse, { description: 'The ten newest runs, newest first' })
  readonly execution_history!: readonly JobRunResponse[];

  @ResponseString({ description: 'Id of the user who created the job' })
  readonly created_by!: string;

  @ResponseString({ description: 'Id of the user who changed the job last' })
  readonly updated_by!: string;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;

  @ResponseTime({ nullable: true })
  readonly last_triggered_at!: string | null;

  @ResponseString({ nullable: true, description: 'URL that triggers a webhook job; null for other jobs' })
  readonly webhook_url!: string | null;

  @ResponseString({
    nullable: true,
    secret: true,
    description:
      'Secret that signs webhook calls. Shown to keys of the user for whom the job runs that have `tasks:execute`, and to ' +
      'keys with `admin`; else null. Null for other jobs',
  })
  readonly webhook_secret!: string | null;

  @ResponseString({
    enum: WEBHOOK_SIGNATURES,
    description: 'How calls of `webhook_url` are authenticated; without effect for jobs with another trigger',
  })
  readonly webhook_signature!: string;

  @ResponseString({ nullable: true, description: 'E-mail address of the user who created the job; null without one' })
  readonly created_by_email!: string | null;

  @ResponseString({
    nullable: true,
    description: 'E-mail address of the user who changed the job last; null without one',
  })
  readonly updated_by_email!: string | null;
}

export class JobTriggerResponse {
  @ResponseString()
  readonly job_id!: string;

  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Id of the run in the queue; equal to `execution_id`' })
  readonly workflow_id!: string;

  @ResponseString({
    enum: ['started', 'failed'],
    description:
      '`failed` if the execution failed at once: a policy denied it, or something that the job names is missing',
  })
  readonly status!: string;

  @ResponseString({ description: 'Result of the start, as text; names the cause if the execution failed at once' })
  readonly message!: string;
}

export class JobHistoryResponse {
  @ResponseString()
  readonly job_id!: string;

  @ResponseInteger({ nullable: true, description: 'Number of runs in the history; null with `total=false`' })
  readonly total!: number | null;

  @ResponseInteger({ nullable: true, description: 'Same as `total`' })
  readonly total_count!: number | null;

  @ResponseString({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  readonly next_cursor!: string | null;

  @ResponseList(JobRunResponse, { description: 'Runs, newest first' })
  readonly executions!: readonly JobRunResponse[];
}

export class PreviewedInstantResponse {
  @ResponseTime({ description: 'Time of the run' })
  readonly at!: string;

  @ResponseString({ description: 'The same time in the time zone of the schedule, `YYYY-MM-DDTHH:mm:ss`' })
  readonly local!: string;

  @ResponseInteger({ description: 'Minutes by which the local time is ahead of UTC' })
  readonly offset_minutes!: number;

  @ResponseString({
    nullable: true,
    enum: INSTANT_NOTES,
    description:
      '`moved_by_gap`: local times of the schedule right before this one do not exist, because clocks are set forward. ' +
      '`once_in_overlap`: the local time occurs twice, because clocks are set back, and this is the first of the two. ' +
      'Otherwise null',
  })
  readonly note!: string | null;
}

export class SchedulePreviewResponse {
  @ResponseList(PreviewedInstantResponse, {
    description: 'Instants in order; fewer than requested if there are no more',
  })
  readonly instants!: readonly PreviewedInstantResponse[];
}
