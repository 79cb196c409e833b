import { toWireTime } from '@app/kernel';
import type { Secret } from '@app/resources';
import type { SecretResponse } from './dto/secret.response.dto.js';

export function toSecretResponse(secret: Secret): SecretResponse {
  return {
    name: secret.name,
    organization_id: secret.organization_id,
    created_by: secret.created_by,
    updated_by: secret.updated_by,
    created_at: toWireTime(secret.created_at),
    updated_at: toWireTime(secret.updated_at),
  };
}
