import { newId, randomBase62 } from '@app/kernel';
import type { CreateEnvironment, EnvironmentFields, NewEnvironment } from './environment.types.js';

const WORKER_TOKEN_LENGTH = 32;

/** Values of fields that the client does not send. */
const DEFAULTS: Omit<EnvironmentFields, 'name'> = {
  display_name: '',
  description: null,
  tags: [],
  settings: {},
  execution_environment: {},
  status: 'active',
};

/** An environment needs no set-up, so `provisioned_at` is its creation time. */
export function newEnvironment(request: CreateEnvironment, createdBy: string | null, now: Date): NewEnvironment {
  return {
    ...DEFAULTS,
    ...request,
    id: newId(),
    worker_token: randomBase62(WORKER_TOKEN_LENGTH),
    provisioned_at: now,
    error_message: null,
    created_by: createdBy,
    created_at: now,
    updated_at: now,
  };
}
