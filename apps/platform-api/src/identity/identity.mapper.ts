import type { Organization } from '@app/identity';
import { toWireTime, type Caller } from '@app/kernel';
import type { MeResponse, ValidationResponse } from './dto/identity.response.dto.js';

export function toValidationResponse(organization: Organization, caller: Caller): ValidationResponse {
  return {
    valid: true,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    user_id: caller.userId,
    user_email: caller.userEmail,
    user_name: caller.userName,
    user_avatar: caller.userAvatar,
    user_status: 'active',
    user_groups: [],
  };
}

export function toMeResponse(caller: Caller): MeResponse {
  return {
    key_id: caller.keyId,
    name: caller.keyName,
    scopes: caller.scopes,
    organization_id: caller.organizationId,
    user_id: caller.userId,
    user_email: caller.userEmail,
    expires_at: toWireTime(caller.expiresAt),
  };
}
