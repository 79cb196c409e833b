import { EXECUTION_STATUSES } from '@app/executions';
import { OutBoolean, OutInteger, OutMany, OutObject, OutString, OutTime } from '@app/http';
import { EXECUTOR_TYPES, JOB_STATUSES, PLANNING_MODES, TRIGGER_TYPES } from '@app/jobs';
import type { JsonObject } from '@app/kernel';

export class JobRunResponse {
  @OutString()
  readonly execution_id!: string;

  @OutString({ nullable: true })
  readonly trigger_type!: string | null;

  @OutString({ enum: EXECUTION_STATUSES })
  readonly status!: string;

  @OutTime({ nullable: true })
  readonly started_at!: string | null;

  @OutTime({ nullable: true })
  readonly completed_at!: string | null;

  @OutInteger({ nullable: true })
  readonly duration_ms!: number | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutObject({ description: 'What a webhook call sent as metadata' })
  readonly trigger_metadata!: JsonObject;
}

export class JobResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutBoolean()
  readonly enabled!: boolean;

  @OutString({ enum: JOB_STATUSES, description: 'paused while not enabled' })
  readonly status!: string;

  @OutString({ enum: TRIGGER_TYPES })
  readonly trigger_type!: string;

  @OutString({ nullable: true, description: 'Stored and checked; this version does not fire it' })
  readonly cron_schedule!: string | null;

  @OutString()
  readonly cron_timezone!: string;

  @OutString({ nullable: true, description: "The queue engine's schedule; null while the job has none" })
  readonly engine_schedule_id!: string | null;

  @OutString({ enum: PLANNING_MODES })
  readonly planning_mode!: string;

  @OutString({ nullable: true })
  readonly entity_type!: string | null;

  @OutString({ nullable: true })
  readonly entity_id!: string | null;

  @OutString({ nullable: true, description: 'The name the entity has now; null where there is no such entity' })
  readonly entity_name!: string | null;

  @OutString()
  readonly prompt_template!: string;

  @OutString({ nullable: true })
  readonly system_prompt!: string | null;

  @OutString({ enum: EXECUTOR_TYPES })
  readonly executor_type!: string;

  @OutString({ nullable: true })
  readonly worker_queue_name!: string | null;

  @OutString({ nullable: true })
  readonly environment_name!: string | null;

  @OutObject()
  readonly config!: JsonObject;

  @OutObject()
  readonly execution_environment!: JsonObject;

  @OutString({ nullable: true })
  readonly last_execution_id!: string | null;

  @OutTime({ nullable: true })
  readonly last_execution_at!: string | null;

  @OutTime({ nullable: true, description: 'When the schedule comes due next; null for other jobs and while paused' })
  readonly next_execution_at!: string | null;

  @OutInteger()
  readonly total_executions!: number;

  @OutInteger()
  readonly successful_executions!: number;

  @OutInteger()
  readonly failed_executions!: number;

  @OutMany(JobRunResponse, { description: 'The ten newest runs, newest first' })
  readonly execution_history!: readonly JobRunResponse[];

  @OutString({ description: 'Id of a user' })
  readonly created_by!: string;

  @OutString({ description: 'Id of a user' })
  readonly updated_by!: string;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;

  @OutTime({ nullable: true })
  readonly last_triggered_at!: string | null;

  @OutString({ nullable: true, description: 'Where a webhook job is triggered; null for other jobs' })
  readonly webhook_url!: string | null;

  @OutString({
    nullable: true,
    secret: true,
    description: 'What webhook calls are signed with; shown to keys with tasks:execute',
  })
  readonly webhook_secret!: string | null;

  @OutString({ nullable: true })
  readonly created_by_email!: string | null;

  @OutString({ nullable: true })
  readonly updated_by_email!: string | null;
}

export class JobTriggerResponse {
  @OutString()
  readonly job_id!: string;

  @OutString()
  readonly execution_id!: string;

  @OutString({ description: "The queue engine's id of the run" })
  readonly workflow_id!: string;

  @OutString({ enum: ['started'] })
  readonly status!: string;

  @OutString({ description: 'Says what is missing where the execution failed at once' })
  readonly message!: string;
}

export class JobHistoryResponse {
  @OutString()
  readonly job_id!: string;

  @OutInteger({ description: 'Runs of the whole history' })
  readonly total!: number;

  @OutInteger({ description: 'The same as total' })
  readonly total_count!: number;

  @OutMany(JobRunResponse)
  readonly executions!: readonly JobRunResponse[];
}
