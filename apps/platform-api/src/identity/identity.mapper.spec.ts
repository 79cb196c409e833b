import { describe, expect, it } from '@jest/globals';
import type { User } from '@app/identity';
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
  grantsUntil: null,
  rateLimits: null,
};
const organization = {
  id: 'organization-1',
  name: 'Acme Inc',
  slug: 'acme-inc',
  created_at: new Date(),
  updated_at: new Date(),
};

describe('identity responses', () => {
  it('of the route `validate` contain the organization and the user of the key', () => {
    const user: User = {
      ...{ id: 'user-1', name: 'Ada', email: 'ada@example.com', avatar_url: null, status: 'active', groups: ['staff'] },
      ...{ created_at: new Date(), updated_at: new Date() },
    };
    expect(toValidationResponse(organization, user)).toEqual({
      valid: true,
      id: 'organization-1',
      name: 'Acme Inc',
      slug: 'acme-inc',
      user_id: 'user-1',
      user_email: 'ada@example.com',
      user_name: 'Ada',
      user_avatar: null,
      user_status: 'active',
      user_groups: ['staff'],
    });
  });

  it('of the route `me` contain the key with its scopes and expiry', () => {
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
