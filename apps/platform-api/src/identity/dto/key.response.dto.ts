import { OutMany, OutString, OutTime } from '@app/http';
import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { ApiProperty } from '@nestjs/swagger';

export class KeyResponse {
  @OutString({ example: 'key_019aa1e0-6f3a-7000-8000-000000000000' })
  readonly id!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...KEY_SCOPES] } })
  readonly scopes!: readonly KeyScope[];

  @OutTime()
  readonly created_at!: string;

  @OutTime({ nullable: true, description: 'To the minute; null: never used' })
  readonly last_used!: string | null;

  @OutTime({ nullable: true, description: 'null: does not expire' })
  readonly expires_at!: string | null;
}

export class MintedKeyResponse extends KeyResponse {
  @OutString({ secret: true, description: 'The key itself. It is shown here and never again' })
  readonly key!: string;
}

export class KeysResponse {
  @OutMany(KeyResponse)
  readonly keys!: readonly KeyResponse[];
}
