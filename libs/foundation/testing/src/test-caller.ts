import { newId, type Caller } from '@app/kernel';

/** Returns an admin of a new organization, so that tests in one database do not see each other's rows. */
export function testCaller(caller: Partial<Caller> = {}): Caller {
  return {
    organizationId: newId(),
    keyId: newId(),
    keyName: 'test',
    scopes: ['admin'],
    userId: newId(),
    userName: 'Tester',
    userEmail: null,
    userAvatar: null,
    expiresAt: null,
    grantsUntil: null,
    rateLimits: null,
    ...caller,
  };
}
