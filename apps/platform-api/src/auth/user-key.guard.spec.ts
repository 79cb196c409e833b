import { describe, expect, it } from '@jest/globals';
import type { Access, OtherApi } from '@app/http';
import type { KeyAuthenticator } from '@app/identity';
import { DomainError, type Caller } from '@app/kernel';
import { UserKeyGuard } from './user-key.guard.js';

const caller: Caller = {
  organizationId: 'organization',
  keyId: 'key_1',
  keyName: 'reader',
  scopes: ['tasks:read'],
  userId: 'user',
  userName: null,
  userEmail: null,
  userAvatar: null,
  expiresAt: null,
  grantsUntil: null,
  rateLimits: null,
};

const CONTROL_PLANE: OtherApi = { name: 'the control plane', scheme: 'Bearer', url: () => 'http://cp', routes: [] };

/** Creates a guard whose key service accepts one key and records the keys it receives. */
function createGuard(): { guard: UserKeyGuard; received: (string | undefined)[] } {
  const received: (string | undefined)[] = [];
  const authenticate = (key: string | undefined): Promise<Caller> => {
    received.push(key);
    if (key === 'good-key') return Promise.resolve(caller);
    return Promise.reject(new DomainError(key === undefined ? 'key_missing' : 'key_invalid', ''));
  };
  return { guard: new UserKeyGuard({ authenticate } as unknown as KeyAuthenticator, CONTROL_PLANE), received };
}

const ANY_KEY: Access = { kind: 'any-key' };

describe('UserKeyGuard', () => {
  it('accepts a key under the scheme UserKey, ignoring case', async () => {
    const { guard } = createGuard();
    for (const authorization of ['UserKey good-key', 'userkey good-key']) {
      await expect(guard.authorize({ headers: { authorization } }, ANY_KEY)).resolves.toBe(caller);
    }
  });

  it.each(['Basic good-key', 'good-key', 'UserKey', ''])('finds no key in "%s"', async (authorization) => {
    const { guard, received } = createGuard();
    const refused = guard.authorize({ headers: { authorization } }, ANY_KEY);
    await expect(refused).rejects.toMatchObject({ code: 'key_missing' });
    expect(received).toEqual([undefined]);
  });

  it('rejects a key under the scheme Bearer, and names the accepted scheme and the API with the other one', async () => {
    const { guard, received } = createGuard();
    const refused = guard.authorize({ headers: { authorization: 'Bearer good-key' } }, ANY_KEY);
    const message = 'Send `Authorization: UserKey <API key>`: Bearer is the scheme of the control plane at http://cp';
    await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated', code: 'key_missing', message });
    expect(received).toEqual([]);
  });

  it('authenticates a key on a route with an optional key, and accepts a request without one', async () => {
    const { guard, received } = createGuard();
    const authorize = (authorization: string): Promise<Caller | undefined> =>
      guard.authorize({ headers: { authorization } }, { kind: 'optional-key' });
    await expect(authorize('Bearer good-key')).resolves.toBeUndefined();
    await expect(authorize('UserKey good-key')).resolves.toBe(caller);
    await expect(authorize('UserKey bad-key')).rejects.toMatchObject({ code: 'key_invalid' });
    expect(received).toEqual(['good-key', 'bad-key']);
  });

  it('does not authenticate on a public route', async () => {
    const { guard, received } = createGuard();
    await expect(guard.authorize({ headers: {} }, { kind: 'public' })).resolves.toBeUndefined();
    expect(received).toEqual([]);
  });
});
