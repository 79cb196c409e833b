import { EnumField, ObjectField, OpenObjectField, PatchOf, StringField, StringListField, UNCHANGED } from '@app/http';
import { ENVIRONMENT_STATUSES, type EnvironmentStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';
import { ExecutionEnvironment } from './execution-environment.dto.js';

const NAME_LENGTH = { minLength: 2, maxLength: 100 };
/** Bounded because the response for each agent of the environment contains it. */
const DISPLAY_NAME_LENGTH = { maxLength: 255 };

export class CreateEnvironmentRequest {
  @StringField({
    required: true,
    ...NAME_LENGTH,
    description: 'Name, unique in the organization',
    example: 'production',
  })
  readonly name!: string;

  @StringField({
    empty: 'keep',
    ...DISPLAY_NAME_LENGTH,
    default: '',
    description: 'Display name. Default empty on creation',
  })
  readonly display_name?: string;

  @StringField()
  readonly description?: string | null;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form settings' })
  readonly settings?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'Variables, secrets, integrations and MCP servers of every execution in the environment',
  })
  readonly execution_environment?: JsonObject;
}

export class UpdateEnvironmentRequest extends PatchOf(CreateEnvironmentRequest, {
  change: { display_name: { cleared: '', blank: UNCHANGED } },
}) {
  @EnumField(ENVIRONMENT_STATUSES, {
    empty: 'keep',
    description: 'Status, set by clients: `active` (default), `inactive`, `provisioning`, `ready` or `error`',
  })
  readonly status?: EnvironmentStatus;
}
