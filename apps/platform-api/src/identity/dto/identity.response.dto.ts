import { ResponseBoolean, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import { USER_STATUSES, type UserStatus } from '@app/identity';
import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { ApiProperty } from '@nestjs/swagger';

/** The organization of the key and the user for whom it acts. */
export class ValidationResponse {
  @ResponseBoolean({ description: 'Always true; an invalid key gets an error response' })
  readonly valid!: boolean;

  @ResponseString({ description: 'Organization id' })
  readonly id!: string;

  @ResponseString({ description: 'Organization name' })
  readonly name!: string;

  @ResponseString({ description: 'Unique short name of the organization' })
  readonly slug!: string;

  @ResponseString({ description: 'Id of the user for whom the key acts' })
  readonly user_id!: string;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ nullable: true })
  readonly user_avatar!: string | null;

  @ResponseString({
    enum: USER_STATUSES,
    description: 'Status of the user. The keys of a suspended user get an error response within a second',
  })
  readonly user_status!: UserStatus;

  @ResponseStringList({ description: 'Names of the groups of the user' })
  readonly user_groups!: readonly string[];
}

export class MeResponse {
  @ResponseString()
  readonly key_id!: string;

  @ResponseString({ description: 'Name of the key' })
  readonly name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...KEY_SCOPES] } })
  readonly scopes!: readonly KeyScope[];

  @ResponseString({ description: 'Organization id' })
  readonly organization_id!: string;

  @ResponseString({ description: 'Id of the user for whom the key acts' })
  readonly user_id!: string;

  @ResponseString({ nullable: true })
  readonly user_email!: string | null;

  @ResponseTime({ nullable: true, description: 'Expiry time; null for a key that does not expire' })
  readonly expires_at!: string | null;
}
