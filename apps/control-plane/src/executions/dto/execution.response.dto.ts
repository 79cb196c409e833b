import {
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseObjectList,
  ResponseString,
  ResponseTime,
} from '@app/http';
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
  @ResponseString()
  readonly id!: string;

  @ResponseString({ nullable: true })
  readonly user_id!: string | null;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseString({ nullable: true })
  readonly user_avatar!: string | null;

  @ResponseString({ example: 'owner', description: 'Role of the user in the execution' })
  readonly role!: string;

  @ResponseTime()
  readonly joined_at!: string;

  @ResponseTime()
  readonly last_active_at!: string;
}

export class ExecutionResponse {
  @ResponseString({ description: 'Execution id: a UUIDv7, or the id that the creator chose' })
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ enum: EXECUTION_TYPES, description: 'Kind of entity that runs' })
  readonly execution_type!: ExecutionType;

  @ResponseString({ nullable: true })
  readonly entity_id!: string | null;

  @ResponseString({ nullable: true })
  readonly entity_name!: string | null;

  @ResponseString({ nullable: true })
  readonly prompt!: string | null;

  @ResponseString({ nullable: true })
  readonly system_prompt!: string | null;

  @ResponseString({
    enum: EXECUTION_STATUSES,
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`',
  })
  readonly status!: ExecutionStatus;

  @ResponseString({ nullable: true })
  readonly response!: string | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Name of the worker or process that runs the execution; null if unknown',
  })
  readonly runner_name!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the user for whom the execution runs; null if unknown' })
  readonly user_id!: string | null;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseString({ nullable: true })
  readonly user_avatar!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime({ nullable: true })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true })
  readonly completed_at!: string | null;

  @ResponseTime()
  readonly updated_at!: string;

  @ResponseTime({ nullable: true })
  readonly last_message_at!: string | null;

  @ResponseString({ nullable: true })
  readonly last_message_preview!: string | null;

  @ResponseObject()
  readonly usage!: JsonObject;

  @ResponseObject({ description: 'Free-form metadata' })
  readonly execution_metadata!: JsonObject;

  @ResponseList(ParticipantResponse)
  readonly participants!: readonly ParticipantResponse[];
}

export class CreatedExecutionResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({
    enum: EXECUTION_STATUSES,
    description:
      'Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`',
  })
  readonly status!: ExecutionStatus;

  @ResponseTime()
  readonly created_at!: string;
}

export class JobExecutionStatusResponse {
  @ResponseString()
  readonly job_id!: string;

  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ enum: JOB_RUN_STATUSES, description: 'Status of the run after the report' })
  readonly status!: JobRunStatus;
}

export class SessionResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({
    nullable: true,
    description: 'Session id, given at the start of the run or chosen by its worker; null without one',
  })
  readonly session_id!: string | null;

  @ResponseString({ nullable: true, description: 'User id that the worker saved; null without one' })
  readonly user_id!: string | null;

  @ResponseObjectList({ description: 'Messages, oldest first: those that the worker saved, then those sent since' })
  readonly messages!: readonly JsonObject[];

  @ResponseInteger({ description: 'Number of messages' })
  readonly message_count!: number;

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class AppendedMessagesResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseInteger({ description: 'Number of messages that are stored now' })
  readonly message_count!: number;
}

export class ConversationResponse {
  @ResponseObjectList({
    description:
      'Texts of earlier executions of the session and of the same user, oldest first: the newest 100, at most 256 KiB',
  })
  readonly earlier_messages!: readonly JsonObject[];

  @ResponseObjectList({
    description: 'Messages of the execution, oldest first: the stored ones, then those sent since',
  })
  readonly messages!: readonly JsonObject[];
}

export class SentMessageResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Message id' })
  readonly message_id!: string;

  @ResponseString({ description: 'Role of the author' })
  readonly role!: string;

  @ResponseString({ description: 'Text of the message' })
  readonly content!: string;

  @ResponseTime({ description: 'Time at which the message was received' })
  readonly timestamp!: string;
}
