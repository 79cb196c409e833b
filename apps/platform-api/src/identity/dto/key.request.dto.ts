import { CheckedAsWhole, StringField, StringListField, TimeField } from '@app/http';
import { unknownScopeFaults } from '@app/identity';

@CheckedAsWhole(unknownScopeFaults)
export class CreateKeyRequest {
  @StringField({ required: true, maxLength: 255, description: 'What the key is for', example: 'nightly reports' })
  readonly name!: string;

  @StringField({ maxLength: 2000 })
  readonly description?: string | null;

  @StringListField({
    empty: 'keep',
    maxItems: 100,
    description: 'At most the scopes of the key that makes it. Not given: the same scopes; `[]`: none',
    example: ['agents:read', 'tasks:execute'],
  })
  readonly scopes?: string[];

  @TimeField({ description: 'ISO 8601. Not given: as long as the key that makes it' })
  readonly expires_at?: Date | null;
}
