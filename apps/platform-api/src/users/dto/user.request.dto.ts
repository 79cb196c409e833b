import { EnumField, ForbidUnknownFields, NamedListQuery, PatchOf, StringField, StringListField } from '@app/http';
import { USER_STATUSES, type UserStatus } from '@app/identity';
import { EMAIL_MEANS, EMAIL_PATTERN } from '@app/kernel';

const EMAIL = { maxLength: 320, pattern: EMAIL_PATTERN, patternMeans: EMAIL_MEANS };
const WEB_URL = { pattern: /^https?:\/\/\S+$/, patternMeans: 'an http or https URL without spaces' };

@ForbidUnknownFields()
export class CreateUserRequest {
  @StringField({
    ...EMAIL,
    description: 'E-mail address, unique in the organization; case is ignored. Null for a service account',
    example: 'ada@example.com',
  })
  readonly email?: string | null;

  @StringField({ required: true, maxLength: 255, description: 'Display name', example: 'Ada Lovelace' })
  readonly name!: string;

  @StringField({ maxLength: 2000, ...WEB_URL, description: 'URL of a picture' })
  readonly avatar_url?: string | null;

  @StringListField({ empty: 'keep', maxItems: 100, description: 'Names of groups', example: ['operations'] })
  readonly groups?: string[];
}

@ForbidUnknownFields()
export class UpdateUserRequest extends PatchOf(CreateUserRequest) {
  @EnumField(USER_STATUSES, {
    empty: 'keep',
    description: 'Status of the user. The API keys of a suspended user are rejected',
  })
  readonly status?: UserStatus;
}

export class ListUsersQuery extends NamedListQuery {
  @StringField({ empty: 'keep', description: 'The whole e-mail address; case is ignored' })
  readonly email?: string;

  @EnumField(USER_STATUSES, { empty: 'keep', description: 'Status of the user' })
  readonly status?: UserStatus;
}
