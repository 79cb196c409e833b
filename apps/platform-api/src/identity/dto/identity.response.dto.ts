import { OutBoolean, OutString, OutStrings, OutTime } from '@app/http';
import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { ApiProperty } from '@nestjs/swagger';

/** The key's organisation and the person it acts for. */
export class ValidationResponse {
  @OutBoolean({ description: 'Always true: a key that is not valid gets an error' })
  readonly valid!: boolean;

  @OutString({ description: 'Id of the organization' })
  readonly id!: string;

  @OutString({ description: 'Name of the organization' })
  readonly name!: string;

  @OutString({ description: "The organization's short name, unique" })
  readonly slug!: string;

  @OutString()
  readonly user_id!: string;

  @OutString({ nullable: true })
  readonly user_email!: string | null;

  @OutString({ nullable: true })
  readonly user_name!: string | null;

  @OutString({ nullable: true })
  readonly user_avatar!: string | null;

  @OutString({ enum: ['active'] })
  readonly user_status!: string;

  @OutStrings()
  readonly user_groups!: readonly string[];
}

export class MeResponse {
  @OutString()
  readonly key_id!: string;

  @OutString({ description: 'Name of the key' })
  readonly name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...KEY_SCOPES] } })
  readonly scopes!: readonly KeyScope[];

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly user_id!: string;

  @OutString({ nullable: true })
  readonly user_email!: string | null;

  @OutTime({ nullable: true, description: 'null: does not expire' })
  readonly expires_at!: string | null;
}
