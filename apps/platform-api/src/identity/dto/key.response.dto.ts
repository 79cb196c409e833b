import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseNested,
  ResponseString,
  ResponseTime,
} from '@app/http';
import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { ApiProperty } from '@nestjs/swagger';

export class RateLimitsResponse {
  @ResponseInteger({
    nullable: true,
    description: 'Maximum number of requests within 10 seconds; null for the default',
  })
  readonly burst!: number | null;

  @ResponseInteger({ nullable: true, description: 'Maximum number of requests within a minute; null for the default' })
  readonly per_minute!: number | null;

  @ResponseInteger({ nullable: true, description: 'Maximum number of requests within 24 hours; null for the default' })
  readonly per_day!: number | null;
}

export class KeyResponse {
  @ResponseString({
    example: 'key_019aa1e0-6f3a-7000-8000-000000000000',
    description: 'API key id: `key_` and a UUIDv7',
  })
  readonly id!: string;

  @ResponseString({ description: 'Name of the key' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...KEY_SCOPES] } })
  readonly scopes!: readonly KeyScope[];

  @ResponseString({ description: 'Id of the user for whom the key acts' })
  readonly user_id!: string;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime({ nullable: true, description: 'Time of the last use, to the minute; null if never used' })
  readonly last_used!: string | null;

  @ResponseTime({
    nullable: true,
    description: 'Time at which the key becomes invalid, because it expires or was rotated; null: never',
  })
  readonly expires_at!: string | null;

  @ResponseInteger({ description: 'Age of the key in whole days' })
  readonly age_days!: number;

  @ResponseBoolean({ description: 'Whether the key is older than 90 days and should be rotated' })
  readonly rotation_due!: boolean;

  @ResponseNested(RateLimitsResponse, { description: 'Limits of this key on the platform API' })
  readonly rate_limits!: RateLimitsResponse;
}

export class MintedKeyResponse extends KeyResponse {
  @ResponseString({ secret: true, description: 'API key. Returned only by this response' })
  readonly key!: string;
}

export class KeysResponse {
  @ResponseList(KeyResponse)
  readonly keys!: readonly KeyResponse[];

  @ResponseInteger({ nullable: true, description: 'Number of keys of the organization; null with `total=false`' })
  readonly total!: number | null;

  @ResponseString({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  readonly next_cursor!: string | null;
}
