import { EXECUTION_STATUSES, EXECUTION_TYPES, type ExecutionStatus, type ExecutionType } from '@app/executions';
import { ResponseList, ResponseObject, ResponseString, ResponseTime } from '@app/http';
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

  @ResponseString({
    nullable: true,
    description: 'Trace of the execution, 32 hexadecimal digits: that of the request that started it; null if unknown',
  })
  readonly trace_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'The `session_id` of the session to which it belongs; null without one',
  })
  readonly session_id!: string | null;

  @ResponseList(ParticipantResponse)
  readonly participants!: readonly ParticipantResponse[];
}
