import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@app/kernel';
import { toMeResponse, toValidationResponse } from './identity.mapper.js';

const caller: Caller = {
  organizationId: 'organization-1',
  keyId: 'key_1',
  keyName: 'reports',
  scopes: ['tasks:read'],
  userId: 'user-1',
  userName: 'Ada',
  userEmail: 'ada@example.com',
  userAvatar: null,
  expiresAt: null,
};
const organization = {
  id: 'organization-1',
  name: 'Acme Inc',
  slug: 'acme-inc',
  created_at: new Date(),
  updated_at: new Date(),
};

describe('what a key says of itself', () => {
  it('names the organization and the person it acts for where it is validated', () => {
    expect(toValidationResponse(organization, caller)).toEqual({
      valid: true,
      id: 'organization-1',
      name: 'Acme Inc',
      slug: 'acme-inc',
      user_id: 'user-1',
      user_email: 'ada@example.com',
      user_name: 'Ada',
      user_avatar: null,
      user_status: 'active',
      user_groups: [],
    });
  });

  it('names itself, its scopes and its end at /auth/me', () => {
    expect(toMeResponse({ ...caller, expiresAt: new Date('2027-01-01T00:00:00Z') })).toEqual({
      key_id: 'key_1',
      name: 'reports',
      scopes: ['tasks:read'],
      organization_id: 'organization-1',
      user_id: 'user-1',
      user_email: 'ada@example.com',
      expires_at: '2027-01-01T00:00:00.000Z',
    });
  });
});
