import { ResponseObject, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class IntegrationResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name, unique in the organization' })
  readonly name!: string;

  @ResponseString({ description: 'Kind of the connected system' })
  readonly type!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseObject({
    description:
      'Free-form configuration; secrets appear as `secret:NAME`. As sent for keys with `integrations:write`, for others with `***` in place of each value',
  })
  readonly configuration!: JsonObject;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
