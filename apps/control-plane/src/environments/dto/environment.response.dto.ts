import { OutInteger, OutObject, OutObjects, OutString, OutStrings, OutTime } from '@app/http';
import { ENVIRONMENT_STATUSES } from '@app/environments';
import type { JsonObject } from '@app/kernel';

export class EnvironmentResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly name!: string;

  @OutString()
  readonly display_name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutStrings()
  readonly tags!: readonly string[];

  @OutObject()
  readonly settings!: JsonObject;

  @OutObject()
  readonly execution_environment!: JsonObject;

  @OutString({ enum: ENVIRONMENT_STATUSES })
  readonly status!: string;

  @OutInteger({ description: 'Workers that are neither disconnected nor stale' })
  readonly active_workers!: number;

  @OutInteger()
  readonly idle_workers!: number;

  @OutInteger()
  readonly busy_workers!: number;

  @OutStrings()
  readonly skill_ids!: readonly string[];

  @OutObjects()
  readonly skills!: readonly JsonObject[];

  @OutString({
    nullable: true,
    secret: true,
    description: 'Names the environment at POST /workers/register; null without runners:manage',
  })
  readonly worker_token!: string | null;

  @OutTime({ nullable: true })
  readonly provisioned_at!: string | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutString({ nullable: true })
  readonly created_by!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}
