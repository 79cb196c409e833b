import { describe, expect, it } from '@jest/globals';
import type { Access } from '@app/http';
import type { KeyService } from '@app/identity';
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
};

/** The guard before a key store that knows one key, and remembers what it was asked for. */
function guarded(): { guard: UserKeyGuard; asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const authenticate = (key: string | undefined): Promise<Caller> => {
    asked.push(key);
    if (key === 'good-key') return Promise.resolve(caller);
    return Promise.reject(new DomainError('unauthenticated', key === undefined ? 'key_missing' : 'key_invalid', ''));
  };
  return { guard: new UserKeyGuard({ authenticate } as unknown as KeyService), asked };
}

const anyKey: Access = { kind: 'any-key' };

describe('authorization on the platform API', () => {
  it('takes the key of the UserKey scheme, whatever its case', async () => {
    const { guard } = guarded();
    for (const authorization of ['UserKey good-key', 'userkey good-key']) {
      await expect(guard.authorize({ headers: { authorization } }, anyKey)).resolves.toBe(caller);
    }
  });

  it.each(['Basic good-key', 'good-key', 'UserKey', ''])('finds no key in "%s"', async (authorization) => {
    const { guard, asked } = guarded();
    const refused = guard.authorize({ headers: { authorization } }, anyKey);
    await expect(refused).rejects.toMatchObject({ code: 'key_missing' });
    expect(asked).toEqual([undefined]);
  });

  it('tells who sent a key as Bearer which scheme it takes', async () => {
    const { guard, asked } = guarded();
    const refused = guard.authorize({ headers: { authorization: 'Bearer good-key' } }, anyKey);
    const message = 'Send `Authorization: UserKey <API key>`: this API does not know Bearer';
    await expect(refused).rejects.toMatchObject({ kind: 'unauthenticated', code: 'key_missing', message });
    expect(asked).toEqual([]);
  });

  it('refuses a key without the scope by naming the scope', async () => {
    const request = { headers: { authorization: 'UserKey good-key' } };
    const refused = guarded().guard.authorize(request, { kind: 'scope', scope: 'tasks:execute' });
    await expect(refused).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('tasks:execute'),
    });
  });

  it('asks nobody on a public route', async () => {
    const { guard, asked } = guarded();
    await expect(guard.authorize({ headers: {} }, { kind: 'public' })).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });
});
