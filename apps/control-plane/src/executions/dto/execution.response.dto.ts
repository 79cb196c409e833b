import { OutInteger, OutMany, OutObject, OutObjects, OutString, OutTime } from '@app/http';
import {
  EXECUTION_STATUSES,
  EXECUTION_TYPES,
  JOB_RUN_STATUSES,
  type ExecutionStatus,
  type ExecutionType,
  type JobRunStatus,
} from '@app/executions';
import type { JsonObject } from '@app/kernel';

export class ParticipantResponse {
  @OutString()
  readonly id!: string;

  @OutString({ nullable: true })
  readonly user_id!: string | null;

  @OutString({ nullable: true })
  readonly user_name!: string | null;

  @OutString({ nullable: true })
  readonly user_email!: string | null;

  @OutString({ nullable: true })
  readonly user_avatar!: string | null;

  @OutString({ example: 'owner' })
  readonly role!: string;

  @OutTime()
  readonly joined_at!: string;

  @OutTime()
  readonly last_active_at!: string;
}

export class ExecutionResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString({ enum: EXECUTION_TYPES })
  readonly execution_type!: ExecutionType;

  @OutString({ nullable: true })
  readonly entity_id!: string | null;

  @OutString({ nullable: true })
  readonly entity_name!: string | null;

  @OutString({ nullable: true })
  readonly prompt!: string | null;

  @OutString({ nullable: true })
  readonly system_prompt!: string | null;

  @OutString({ enum: EXECUTION_STATUSES })
  readonly status!: ExecutionStatus;

  @OutString({ nullable: true })
  readonly response!: string | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutString({ nullable: true })
  readonly runner_name!: string | null;

  @OutString({ nullable: true, description: 'The person it runs for' })
  readonly user_id!: string | null;

  @OutString({ nullable: true })
  readonly user_name!: string | null;

  @OutString({ nullable: true })
  readonly user_email!: string | null;

  @OutString({ nullable: true })
  readonly user_avatar!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime({ nullable: true })
  readonly started_at!: string | null;

  @OutTime({ nullable: true })
  readonly completed_at!: string | null;

  @OutTime()
  readonly updated_at!: string;

  @OutTime({ nullable: true })
  readonly last_message_at!: string | null;

  @OutString({ nullable: true })
  readonly last_message_preview!: string | null;

  @OutObject()
  readonly usage!: JsonObject;

  @OutObject()
  readonly execution_metadata!: JsonObject;

  @OutMany(ParticipantResponse)
  readonly participants!: readonly ParticipantResponse[];
}

export class CreatedExecutionResponse {
  @OutString()
  readonly execution_id!: string;

  @OutString({ enum: EXECUTION_STATUSES })
  readonly status!: ExecutionStatus;

  @OutTime()
  readonly created_at!: string;
}

export class JobExecutionStatusResponse {
  @OutString()
  readonly job_id!: string;

  @OutString()
  readonly execution_id!: string;

  @OutString({ enum: JOB_RUN_STATUSES })
  readonly status!: JobRunStatus;
}

export class SessionResponse {
  @OutString()
  readonly execution_id!: string;

  @OutString({ nullable: true })
  readonly session_id!: string | null;

  @OutString({ nullable: true })
  readonly user_id!: string | null;

  @OutObjects({ description: 'As the worker stored them, then those sent since that these do not hold' })
  readonly messages!: readonly JsonObject[];

  @OutInteger()
  readonly message_count!: number;

  @OutObject()
  readonly metadata!: JsonObject;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}

export class SentMessageResponse {
  @OutString()
  readonly execution_id!: string;

  @OutString()
  readonly message_id!: string;

  @OutString()
  readonly role!: string;

  @OutString()
  readonly content!: string;

  @OutTime()
  readonly timestamp!: string;
}
