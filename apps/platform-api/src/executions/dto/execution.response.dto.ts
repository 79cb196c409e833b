import { OutMany, OutObject, OutString, OutTime } from '@app/http';
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

  @OutString()
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

  @OutString()
  readonly execution_type!: string;

  @OutString({ nullable: true })
  readonly entity_id!: string | null;

  @OutString({ nullable: true })
  readonly entity_name!: string | null;

  @OutString({ nullable: true })
  readonly prompt!: string | null;

  @OutString({ nullable: true })
  readonly system_prompt!: string | null;

  @OutString()
  readonly status!: string;

  @OutString({ nullable: true })
  readonly response!: string | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutString({ nullable: true })
  readonly runner_name!: string | null;

  @OutString({ nullable: true })
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
