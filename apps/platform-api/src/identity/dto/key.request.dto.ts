import { ForbidUnknownFields, ValidateObject, StringField, StringListField, TimeField } from '@app/http';
import { unknownScopeFaults } from '@app/identity';

/** A misspelt `scopes` or `expires_at` would mint a key that may do more, or lives longer, than was meant. */
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

  @StringField({ maxLength: 2000, description: 'Free text for readers' })
  readonly description?: string | null;

  @StringListField({
    empty: 'keep',
    maxItems: 100,
    description:
      'Scopes of the key, at most those of the API key in use. Default: the same scopes. An empty list grants none',
    example: ['agents:read', 'tasks:execute'],
  })
  readonly scopes?: string[];

  @TimeField({ description: 'Expiry time, at most that of the API key in use. Default: the same time' })
  readonly expires_at?: Date | null;

  @StringField({ description: 'Id of the user for whom the key acts. Default: the user of the API key in use' })
  readonly user_id?: string | null;
}
