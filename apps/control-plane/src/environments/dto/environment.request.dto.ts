import { EnumField, ObjectField, OpenObjectField, StringField, StringListField } from '@app/http';
import { ENVIRONMENT_STATUSES, type EnvironmentStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';
import { ExecutionEnvironment } from './execution-environment.dto.js';

const NAME_LENGTH = { minLength: 2, maxLength: 100 };
/** It is told with every agent of the environment. */
const DISPLAY_NAME_LENGTH = { maxLength: 255 };

export class CreateEnvironmentRequest {
  @StringField({ required: true, ...NAME_LENGTH, description: 'Unique in the organization', example: 'production' })
  readonly name!: string;

  @StringField({ empty: 'keep', ...DISPLAY_NAME_LENGTH, default: '' })
  readonly display_name?: string;

  @StringField()
  readonly description?: string | null;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly settings?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'env_vars, secrets, integration_ids, mcp_servers',
  })
  readonly execution_environment?: JsonObject;
}

export class UpdateEnvironmentRequest {
  @StringField({ empty: 'keep', ...NAME_LENGTH })
  readonly name?: string;

  @StringField({ empty: 'keep', ...DISPLAY_NAME_LENGTH })
  readonly display_name?: string;

  @StringField()
  readonly description?: string | null;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep' })
  readonly settings?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description: 'env_vars, secrets, integration_ids, mcp_servers',
  })
  readonly execution_environment?: JsonObject;

  @EnumField(ENVIRONMENT_STATUSES, { empty: 'keep' })
  readonly status?: EnvironmentStatus;
}
