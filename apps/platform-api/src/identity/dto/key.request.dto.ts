import { MAX_RATE_LIMIT } from '@app/config';
import {
  ForbidUnknownFields,
  IntegerField,
  NestedField,
  PatchOf,
  ValidateObject,
  StringField,
  StringListField,
  TimeField,
} from '@app/http';
import { unknownScopeFaults } from '@app/identity';

/**
 * Rejects unknown fields: a misspelt `scopes` or `expires_at` would create a key with more scopes or a longer life than
 * intended.
 */
@ForbidUnknownFields()
@ValidateObject(unknownScopeFaults)
export class CreateKeyRequest {
  @StringField({
    required: true,
    maxLength: 255,
    description: 'Name of the key, for example its purpose',
    example: 'nightly reports',
  })
  readonly name!: string;

  @StringField({ maxLength: 2000, description: 'Description, as free text' })
  readonly description?: string | null;

  @StringListField({
    empty: 'keep',
    maxItems: 100,
    description:
      'Scopes of the key, at most those of the API key in use. Default: the same scopes, so without this field a key ' +
      'with `admin` creates another one with `admin`. An empty list grants none',
    example: ['agents:read', 'tasks:execute'],
  })
  readonly scopes?: string[];

  @TimeField({ description: 'Expiry time, at most that of the API key in use. Default: the same time' })
  readonly expires_at?: Date | null;

  @StringField({ description: 'Id of the user for whom the key acts. Default: the user of the API key in use' })
  readonly user_id?: string | null;
}

const LIMIT = { min: 1, max: MAX_RATE_LIMIT };

@ForbidUnknownFields()
export class RateLimitsRequest {
  @IntegerField({ ...LIMIT, description: 'Maximum number of requests within 10 seconds; null for the default' })
  readonly burst?: number | null;

  @IntegerField({ ...LIMIT, description: 'Maximum number of requests within a minute; null for the default' })
  readonly per_minute?: number | null;

  @IntegerField({ ...LIMIT, description: 'Maximum number of requests within 24 hours; null for the default' })
  readonly per_day?: number | null;
}

@ForbidUnknownFields()
export class UpdateKeyRequest extends PatchOf(CreateKeyRequest, { omit: ['scopes', 'expires_at', 'user_id'] }) {
  @NestedField(RateLimitsRequest, {
    description:
      'Limits of this key on the platform API, which replace the previous ones as a whole. Null: the defaults',
  })
  readonly rate_limits?: RateLimitsRequest | null;
}

export const DEFAULT_OVERLAP_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 604_800;

@ForbidUnknownFields()
export class RotateKeyRequest {
  @IntegerField({
    min: 0,
    max: MAX_OVERLAP_SECONDS,
    empty: 'keep',
    default: DEFAULT_OVERLAP_SECONDS,
    description: 'Seconds for which the old key remains valid beside its successor, at most a week. Default: a day',
  })
  readonly overlap_seconds?: number;

  @TimeField({
    description: 'Expiry time of the successor, at most that of the API key in use. Default: that of the old key',
  })
  readonly expires_at?: Date | null;
}
