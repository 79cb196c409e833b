import { ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import { USER_STATUSES, type UserStatus } from '@app/identity';

export class UserResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ nullable: true, description: 'E-mail address, as it was sent; null for a service account' })
  readonly email!: string | null;

  @ResponseString({ description: 'Display name' })
  readonly name!: string;

  @ResponseString({ nullable: true, description: 'URL of a picture; null without one' })
  readonly avatar_url!: string | null;

  @ResponseString({
    enum: USER_STATUSES,
    description: 'Status of the user. The API keys of a suspended user are rejected',
  })
  readonly status!: UserStatus;

  @ResponseStringList({ description: 'Names of groups' })
  readonly groups!: readonly string[];

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
