import { newId, type Caller } from '@app/kernel';

/** An administrator of an organisation of its own, so that tests in one database do not see each other's rows. */
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
    ...caller,
  };
}
