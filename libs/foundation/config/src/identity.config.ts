import { EnvVar } from './env-var.js';
import { chosenKey } from './parsers.js';

/** The first admin key. A chosen key is also added to an existing organization. */
export class IdentityConfig {
  @EnvVar('BOOTSTRAP_ADMIN_KEY', chosenKey, {
    default: null,
    doc:
      'Value of the admin key created at the first start (16 to 512 characters). Default: generated and printed once. ' +
      'On existing data, an additional admin key with this value is created.',
  })
  readonly bootstrapAdminKey!: string | null;
}
