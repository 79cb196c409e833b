import { AsyncResource } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdentityConfig } from '@app/config';
import { RedisConnections } from '@app/redis';
import { DomainError, newApiKey, newId, type Caller, type KeyScope } from '@app/kernel';
import { createTestContext, eventually, statementsOf, type TestContext } from '@app/testing';
import { describeKey, hashKey } from './api-key-format.js';
import { BootstrapService } from '../organizations/bootstrap.service.js';
import { IdentityModule } from '../identity.module.js';
import type { MintKey } from './key.types.js';
import { KeyCache } from '../authentication/key-cache.js';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';
import { KeyService } from './key.service.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { UserService } from '../users/user.service.js';
import type { User } from '../users/user.types.js';

const PAGE = { skip: 0, limit: 10 };
const request: MintKey = { name: 'k', description: null, expires_at: null };

describe('API keys', () => {
  let context: TestContext;
  let keys: KeyService;
  let authenticator: KeyAuthenticator;
  let admin: Caller;
  let organizations = 0;

  beforeAll(async () => {
    context = await createTestContext([IdentityModule]);
    keys = context.get(KeyService);
    authenticator = context.get(KeyAuthenticator);
  });

  beforeEach(async () => {
    organizations += 1;
    const { adminKey } = await context.get(OrganizationService).create(`org ${organizations}`);
    admin = await authenticator.authenticate(adminKey.key);
  });

  afterAll(() => context.close());

  it('authenticate as their caller, with the owner and the scopes of the key', async () => {
    const minted = await keys.mint(admin, { ...request, scopes: ['tasks:read'] });
    const caller = await authenticator.authenticate(minted.key);
    expect(caller).toMatchObject({ keyId: minted.id, scopes: ['tasks:read'], userId: admin.userId });
    expect(caller.organizationId).toBe(admin.organizationId);
  });

  it('get the scopes of the minting key by default, and none for an empty list', async () => {
    const maker = await withScopes(['admin', 'tasks:read']);
    expect((await keys.mint(maker, request)).scopes).toEqual(['admin', 'tasks:read']);
    expect((await keys.mint(maker, { ...request, scopes: [] })).scopes).toEqual([]);
  });

  it('cannot have a scope or an expiry beyond those of the minting key', async () => {
    const soon = new Date(Date.now() + 60_000);
    const maker = { ...(await withScopes(['tasks:read'])), expiresAt: soon, grantsUntil: soon };
    expect(await faultsOf(keys.mint(maker, { ...request, scopes: ['tasks:execute'] }))).toEqual(['scopes.0']);
    expect(await faultsOf(keys.mint(maker, { ...request, expires_at: new Date(Date.now() + 120_000) }))).toEqual([
      'expires_at',
    ]);
    expect((await keys.mint(maker, request)).expires_at).toEqual(soon);
  });

  it('cannot be minted with an unknown scope or an expiry in the past', async () => {
    expect(await faultsOf(keys.mint(admin, { ...request, scopes: ['tasks:dance'] }))).toEqual(['scopes.0']);
    expect(await faultsOf(keys.mint(admin, { ...request, expires_at: new Date(0) }))).toEqual(['expires_at']);
    const both = { ...request, scopes: ['tasks:dance'], expires_at: new Date(0) };
    expect(await faultsOf(keys.mint(admin, both))).toEqual(['scopes.0', 'expires_at']);
  });

  it('stop working when revoked, at once in this process and within a second in others', async () => {
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    const minted = await keys.mint(admin, request);
    await elsewhere.get(KeyAuthenticator).authenticate(minted.key);
    await keys.revoke(admin, minted.id);
    await expect(authenticator.authenticate(minted.key)).rejects.toThrow(DomainError);
    await eventually(() =>
      expect(elsewhere.get(KeyAuthenticator).authenticate(minted.key)).rejects.toThrow(DomainError),
    );
    await elsewhere.close();
  });

  it('are not looked up repeatedly while they are unknown, and work within a second after they were stored', async () => {
    const chosen = `chosen-key-of-organization-${organizations}`;
    const reject = (): Promise<void> =>
      expect(authenticator.authenticate(chosen)).rejects.toMatchObject({ code: 'key_invalid' });
    await reject();
    expect(await statementsOf(reject)).toEqual([]);
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    await elsewhere.get(OrganizationService).create(`chosen ${organizations}`, { material: describeKey(chosen) });
    await eventually(() => authenticator.authenticate(chosen));
    await elsewhere.close();
  });

  it('work right after the commit that stored them, even if they were looked up shortly before it', async () => {
    const chosen = `key-stored-in-a-transaction-${organizations}`;
    // Bound here, outside the transaction: the look-up must not be one of its statements.
    const lookUp = AsyncResource.bind(() => authenticator.authenticate(chosen));
    await context.database.transaction(async () => {
      await context.get(OrganizationService).create(`stored ${organizations}`, { material: describeKey(chosen) });
      await expect(lookUp()).rejects.toMatchObject({ code: 'key_invalid' });
    });
    await expect(authenticator.authenticate(chosen)).resolves.toBeDefined();
  });

  it('count as unknown, without an error, if they are revoked while they are looked up', async () => {
    const cache = context.get(KeyCache);
    const lookUp = cache.find('the hash of no key');
    cache.broadcastChange(['the hash of no key']);
    await expect(lookUp).resolves.toBeUndefined();
  });

  it('that are unknown are rejected without a look-up after too many from one origin', async () => {
    const origin = (): string => 'somewhere';
    const invent = (): Promise<unknown> =>
      authenticator.authenticate(newApiKey(), origin).catch((error: unknown) => (error as DomainError).code);
    const outcomes: unknown[] = [];
    const statements = await statementsOf(async () => {
      outcomes.push(...(await Promise.all(Array.from({ length: 300 }, invent))));
    });
    expect(new Set(outcomes)).toEqual(new Set(['key_invalid', 'unknown_credentials_too_many']));
    const lookUps = statements.filter((name) => name === 'api_key_caller');
    expect(lookUps).toHaveLength(outcomes.filter((code) => code === 'key_invalid').length);
    await expect(
      authenticator.authenticate((await keys.mint(admin, request)).key, () => 'elsewhere'),
    ).resolves.toBeDefined();
  });

  it('stop working when they expire, even while cached', async () => {
    // Long enough for a slow machine to authenticate the key before it expires.
    const minted = await keys.mint(admin, { ...request, expires_at: new Date(Date.now() + 1_500) });
    await authenticator.authenticate(minted.key);
    const expired = { code: 'key_expired', message: expect.stringContaining('has expired') };
    await eventually(() => expect(authenticator.authenticate(minted.key)).rejects.toMatchObject(expired));
    await expect(authenticator.authenticate(newApiKey())).rejects.toMatchObject({ code: 'key_invalid' });
  });

  it('that have expired are not told apart from unknown ones once they are revoked', async () => {
    const minted = await keys.mint(admin, request);
    await context.database.sql(`UPDATE api_keys SET expires_at = '2000-01-01' WHERE id = $1`, [minted.id]);
    await expect(authenticator.authenticate(minted.key)).rejects.toMatchObject({ code: 'key_expired' });
    await keys.revoke(admin, minted.id);
    await expect(authenticator.authenticate(minted.key)).rejects.toMatchObject({ code: 'key_invalid' });
  });

  it('notify only the remaining watchers when they are revoked elsewhere or expire', async () => {
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    const minted = { revoked: await keys.mint(admin, request), kept: await keys.mint(admin, request) };
    const expiring = await keys.mint(admin, { ...request, expires_at: new Date(Date.now() + 1_000) });
    const ended: string[] = [];
    const watch = (name: string, key: string): (() => void) =>
      elsewhere.get(KeyAuthenticator).whenEnded(key, () => ended.push(name));
    const stops = [
      watch('revoked', minted.revoked.key),
      watch('kept', minted.kept.key),
      watch('expired', expiring.key),
    ];
    watch('unwatched', minted.revoked.key)();
    await keys.revoke(admin, minted.revoked.id);
    await eventually(() => expect([...ended].sort()).toEqual(['expired', 'revoked']));
    for (const stop of stops) stop();
    await elsewhere.close();
  });

  it('notify a watcher once, even if several checks detect their end at the same time', async () => {
    const minted = await keys.mint(admin, request);
    let notified = 0;
    context.get(KeyAuthenticator).whenEnded(minted.key, () => (notified += 1));
    await context.database.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [minted.id]);
    const hash = hashKey(minted.key);
    await context.get(RedisConnections).commands.publish('identity:key-changed', `${hash} ${hash}`);
    await eventually(() => expect(notified).toBeGreaterThan(0));
    // Waits for the look-ups of the checks, because this later one ends after them.
    await expect(authenticator.authenticate(minted.key)).rejects.toThrow(DomainError);
    expect(notified).toBe(1);
  });

  it('are not looked up in the transaction of the request that watched them first', async () => {
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    const { database } = elsewhere;
    const minted = await keys.mint(admin, request);
    const outside: boolean[] = [];
    const onEnd = (): void => void outside.push(database.manager === database.dataSource.manager);
    await database.transaction(async () => void elsewhere.get(KeyAuthenticator).whenEnded(minted.key, onEnd));
    // Revokes the key without a broadcast, so that only the timer can notice it.
    await context.database.sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [minted.id]);
    await eventually(() => expect(outside).toEqual([true]));
    await elsewhere.close();
  });

  it('are listed and revoked within their organization only', async () => {
    const minted = await keys.mint(admin, request);
    const { adminKey } = await context.get(OrganizationService).create(`stranger ${organizations}`);
    const stranger = await authenticator.authenticate(adminKey.key);
    expect((await keys.list(stranger, PAGE)).items.map(({ id }) => id)).toEqual([adminKey.id]);
    await expect(keys.revoke(stranger, minted.id)).rejects.toThrow('API key not found');
    await expect(authenticator.authenticate(minted.key)).resolves.toBeDefined();
  });

  it('cannot be revoked if no other admin key works, except by the operator', async () => {
    await keys.mint(admin, { ...request, scopes: ['tasks:read'] });
    const expiring = await keys.mint(admin, { ...request, expires_at: new Date(Date.now() + 1_000) });
    await eventually(() => expect(authenticator.authenticate(expiring.key)).rejects.toThrow(DomainError));
    const users = context.get(UserService);
    const leaver = await users.create(admin, { name: 'Leaver' });
    await keys.mint(admin, { ...request, user_id: leaver.id });
    await users.update(admin, leaver.id, { status: 'suspended' });
    const refused = { code: 'api_key_is_last_admin', kind: 'conflict' };
    await expect(keys.revoke(admin, admin.keyId)).rejects.toMatchObject(refused);
    expect((await keys.list(admin, PAGE)).items.map(({ id }) => id)).toContain(admin.keyId);
    await keys.revokeAny(admin, admin.keyId);
    expect((await keys.list(admin, PAGE)).items.map(({ id }) => id)).not.toContain(admin.keyId);
  });

  it('cannot be rotated if no admin key would work after the overlap', async () => {
    const rotate = (lifetimeMs: number | null): Promise<unknown> => {
      const expires_at = lifetimeMs === null ? null : new Date(Date.now() + lifetimeMs);
      return keys.rotate(admin, admin.keyId, { overlapSeconds: 3600, expires_at });
    };
    await expect(rotate(60_000)).rejects.toMatchObject({ code: 'api_key_is_last_admin', kind: 'conflict' });
    expect((await keys.list(admin, PAGE)).items).toMatchObject([{ id: admin.keyId, superseded_at: null }]);
    await expect(rotate(7_200_000)).resolves.toBeDefined();
  });

  it('cannot be revoked if the other admin keys have been rotated', async () => {
    const rotation = { overlapSeconds: 3600, expires_at: null };
    const successor = await keys.rotate(admin, admin.keyId, rotation);
    const refused = { code: 'api_key_is_last_admin', kind: 'conflict' };
    await expect(keys.revoke(admin, successor.id)).rejects.toMatchObject(refused);
    await keys.revoke(admin, admin.keyId);
  });

  it('are listed in pages', async () => {
    const minted: string[] = [];
    for (let n = 0; n < 3; n += 1) minted.unshift((await keys.mint(admin, request)).id);
    const first = await keys.list(admin, { skip: 0, limit: 2 });
    expect(first).toMatchObject({ total: 4, items: minted.slice(0, 2).map((id) => ({ id })) });
    expect(first.items[0]).not.toHaveProperty('hash');
    const rest = await keys.list(admin, { ...PAGE, cursor: first.nextCursor ?? '' });
    expect(rest.items.map(({ id }) => id)).toEqual([minted[2], admin.keyId]);
  });

  it.each(['revoked', 'ended by the suspension of its user'])(
    'keep one working admin key if one is revoked while the other is %s',
    async (end) => {
      const users = context.get(UserService);
      const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
      for (let round = 0; round < 10; round += 1) {
        const scope = { ...admin, organizationId: newId() };
        const [one, other] = [await users.create(scope, { name: 'One' }), await users.create(scope, { name: 'Other' })];
        const mint = ({ id }: User): Promise<{ id: string }> => keys.mint(scope, { ...request, user_id: id });
        const [revoked, ended] = [await mint(one), await mint(other)];
        const outcomes = await Promise.allSettled([
          keys.revoke(scope, revoked.id),
          end === 'revoked'
            ? elsewhere.get(KeyService).revoke(scope, ended.id)
            : elsewhere.get(UserService).update(scope, other.id, { status: 'suspended' }),
        ]);
        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      }
      await elsewhere.close();
    },
  );

  it('record their last use', async () => {
    const minted = await keys.mint(admin, request);
    await authenticator.authenticate(minted.key);
    await eventually(async () => {
      const record = (await keys.list(admin, PAGE)).items.find(({ id }) => id === minted.id);
      expect(record?.last_used).toBeInstanceOf(Date);
    });
  });

  async function withScopes(scopes: readonly KeyScope[]): Promise<Caller> {
    return authenticator.authenticate((await keys.mint(admin, { ...request, scopes })).key);
  }
});

describe('bootstrap', () => {
  it('creates one organization with one admin key, even if several processes start at once', async () => {
    const context = await createTestContext([IdentityModule]);
    const service = context.get(BootstrapService);
    const made = await Promise.all([
      service.ensureOrganization(),
      service.ensureOrganization(),
      service.ensureOrganization(),
    ]);
    const keys = made.filter((key) => key !== undefined);
    expect(keys).toHaveLength(1);
    expect((await context.get(KeyAuthenticator).authenticate(keys[0])).scopes).toEqual(['admin']);
    await context.close();
  });

  it('accepts any chosen key, even one that looks like a generated key with a wrong checksum', async () => {
    const context = await createTestContext([IdentityModule]);
    for (const bootstrapAdminKey of [`ak_${'A'.repeat(36)}`, 'a key with spaces in it']) {
      Object.assign(context.get(IdentityConfig), { bootstrapAdminKey });
      expect(await context.get(BootstrapService).ensureOrganization()).toBeUndefined();
      const { scopes } = await context.get(KeyAuthenticator).authenticate(bootstrapAdminKey);
      expect(scopes).toEqual(['admin']);
    }
    await context.close();
  });
});

async function faultsOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof DomainError ? error.faults.map(({ path }) => path.join('.')) : ['no fault'];
}
