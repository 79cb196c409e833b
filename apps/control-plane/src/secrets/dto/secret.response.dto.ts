import { ResponseString, ResponseTime } from '@app/http';

export class SecretResponse {
  @ResponseString({ description: 'Name, unique in the organization; `secret:NAME` refers to the secret' })
  readonly name!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the user who set the value' })
  readonly updated_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime({ description: 'Time at which the value was set' })
  readonly updated_at!: string;
}
