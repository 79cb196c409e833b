import type { Organization, User } from '@app/identity';
import { toWireTime, type Caller } from '@app/kernel';
import type { MeResponse, ValidationResponse } from './dto/identity.response.dto.js';

export function toValidationResponse(organization: Organization, user: User): ValidationResponse {
  return {
    valid: true,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    user_id: user.id,
    user_email: user.email,
    user_name: user.name,
    user_avatar: user.avatar_url,
    user_status: user.status,
    user_groups: user.groups,
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
