import { describe, expect, it } from '@jest/globals';
import type { Access } from '@app/http';
import type { KeyService } from '@app/identity';
import { DomainError, type Caller } from '@app/kernel';
import { authorize } from './authorize.js';

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

/** Stands for the key store: it knows one key, and remembers what it was asked for. */
function keyStore(): { service: KeyService; asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const authenticate = (key: string | undefined): Promise<Caller> => {
    asked.push(key);
    if (key === 'good-key') return Promise.resolve(caller);
    return Promise.reject(new DomainError('unauthenticated', key === undefined ? 'key_missing' : 'key_invalid', ''));
  };
  return { service: { authenticate } as unknown as KeyService, asked };
}

const anyKey: Access = { kind: 'any-key' };

describe('authorization on the platform API', () => {
  it('takes the key of the UserKey scheme, whatever its case', async () => {
    const { service } = keyStore();
    for (const authorization of ['UserKey good-key', 'userkey good-key']) {
      await expect(authorize(service, { headers: { authorization } }, anyKey)).resolves.toBe(caller);
    }
  });

  it.each(['Bearer good-key', 'Basic good-key', 'good-key', 'UserKey', ''])(
    'finds no key in "%s"',
    async (authorization) => {
      const { service, asked } = keyStore();
      const refused = authorize(service, { headers: { authorization } }, anyKey);
      await expect(refused).rejects.toMatchObject({ code: 'key_missing' });
      expect(asked).toEqual([undefined]);
    },
  );

  it('refuses a key without the scope by naming the scope', async () => {
    const request = { headers: { authorization: 'UserKey good-key' } };
    const refused = authorize(keyStore().service, request, { kind: 'scope', scope: 'tasks:execute' });
    await expect(refused).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('tasks:execute'),
    });
  });

  it('asks nobody on a public route', async () => {
    const { service, asked } = keyStore();
    await expect(authorize(service, { headers: {} }, { kind: 'public' })).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });
});
