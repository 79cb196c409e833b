import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdentityConfig } from '@app/config';
import { DomainError, newId, type Caller } from '@app/kernel';
import { createTestContext, eventually, promptly, type TestContext } from '@app/testing';
import { describeKey } from '../keys/api-key-format.js';
import { FirstKeyService } from '../keys/first-key.service.js';
import { IdentityModule } from '../identity.module.js';
import type { MintKey } from '../keys/key.types.js';
import { KeyAuthenticator } from '../authentication/key-authenticator.js';
import { KeyService } from '../keys/key.service.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { UserDeletionService } from './user-deletion.service.js';
import { UserService } from './user.service.js';

const FIRST_PAGE = { skip: 0, limit: 100 };
const request: MintKey = { name: 'k', description: null, expires_at: null };
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof DomainError ? error.code : error),
  );

describe('users', () => {
  let context: TestContext;
  let elsewhere: TestContext;
  let users: UserService;
  let deletions: UserDeletionService;
  let keys: KeyService;
  let authenticator: KeyAuthenticator;
  let admin: Caller;
  let organizations = 0;

  beforeAll(async () => {
    context = await createTestContext([IdentityModule]);
    elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    users = context.get(UserService);
    deletions = context.get(UserDeletionService);
    keys = context.get(KeyService);
    authenticator = context.get(KeyAuthenticator);
  });

  beforeEach(async () => {
    organizations += 1;
    const { adminKey } = await context.get(OrganizationService).create(`org ${organizations}`);
    admin = await authenticator.authenticate(adminKey.key);
  });

  afterAll(async () => {
    await elsewhere.close();
    await context.close();
  });

  const mintFor = (user_id: string): Promise<{ id: string; key: string }> => keys.mint(admin, { ...request, user_id });

  it('have an e-mail address that is unique in the organization, ignoring case, and returned as it was sent', async () => {
    const ada = await users.create(admin, { name: 'Ada', email: 'Ada@Acme.test' });
    expect(ada).toMatchObject({ email: 'Ada@Acme.test', status: 'active', groups: [], avatar_url: null });
    expect(await codeOf(users.create(admin, { name: 'A', email: 'ada@ACME.test' }))).toBe('user_email_taken');
    const bob = await users.create(admin, { name: 'Bob' });
    await users.create(admin, { name: 'Another without an address' });
    expect(await codeOf(users.update(admin, bob.id, { email: 'ADA@acme.test' }))).toBe('user_email_taken');
    expect(await users.update(admin, ada.id, { email: 'ada@acme.test' })).toMatchObject({ email: 'ada@acme.test' });
    expect((await users.list(admin, { email: 'ADA@ACME.TEST' }, FIRST_PAGE)).items).toMatchObject([{ id: ada.id }]);
    await users.update(admin, ada.id, { email: null });
    await expect(users.update(admin, bob.id, { email: 'ada@acme.test' })).resolves.toMatchObject({ name: 'Bob' });
  });

  it('keep the fields that an update does not contain', async () => {
    const fields = { name: 'Ada', email: 'a@b.c', avatar_url: 'https://acme.test/a.png', groups: ['b', 'a'] };
    const before = await users.create(admin, fields);
    const after = await users.update(admin, before.id, { name: 'Ada L.' });
    expect(after).toEqual({ ...before, name: 'Ada L.', updated_at: after.updated_at });
    expect(await users.read(admin, before.id)).toEqual(after);
  });

  it('are invisible to other organizations', async () => {
    const { id } = await users.create(admin, { name: 'Ada', email: 'ada@acme.test' });
    const { adminKey } = await context.get(OrganizationService).create(`stranger ${organizations}`);
    const stranger = await authenticator.authenticate(adminKey.key);
    await expect(users.create(stranger, { name: 'Ada', email: 'ada@acme.test' })).resolves.toBeDefined();
    const attempts = [
      ...[users.read(stranger, id), users.update(stranger, id, { name: 'x' }), deletions.delete(stranger, id)],
      keys.mint(stranger, { ...request, user_id: id }),
    ];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'user_not_found'));
    expect((await users.list(stranger, {}, FIRST_PAGE)).items.map((user) => user.id)).not.toContain(id);
    expect(await users.byIds(stranger, [id])).toEqual(new Map());
    expect(await users.read(admin, id)).toMatchObject({ name: 'Ada' });
  });

  it('lose their keys by suspension and regain them by activation, at once in this process and within a second in others', async () => {
    const { id } = await users.create(admin, { name: 'Ada' });
    const { key } = await mintFor(id);
    const ended: string[] = [];
    elsewhere.get(KeyAuthenticator).whenEnded(key, () => ended.push('ended'));
    const processes = [authenticator, elsewhere.get(KeyAuthenticator)];
    for (const one of processes) await expect(one.authenticate(key)).resolves.toMatchObject({ userId: id });
    await users.update(admin, id, { status: 'suspended' });
    expect(await codeOf(authenticator.authenticate(key))).toBe('key_invalid');
    await promptly(async () => {
      for (const one of processes) expect(await codeOf(one.authenticate(key))).toBe('key_invalid');
      expect(ended).toEqual(['ended']);
    }, 1_000);
    await users.update(admin, id, { status: 'active' });
    await expect(authenticator.authenticate(key)).resolves.toMatchObject({ userId: id });
    await eventually(async () => {
      for (const one of processes) await expect(one.authenticate(key)).resolves.toMatchObject({ userId: id });
    }, 1_000);
  });

  it('apply changes of their fields to their keys, in every process within a second', async () => {
    const { id } = await users.create(admin, { name: 'Ada' });
    const { key } = await mintFor(id);
    const processes = [authenticator, elsewhere.get(KeyAuthenticator)];
    for (const one of processes) await expect(one.authenticate(key)).resolves.toMatchObject({ userName: 'Ada' });
    await users.update(admin, id, { name: 'Grace', email: 'grace@acme.test', avatar_url: 'https://acme.test/g.png' });
    await eventually(async () => {
      for (const one of processes) {
        const shown = { userName: 'Grace', userEmail: 'grace@acme.test', userAvatar: 'https://acme.test/g.png' };
        await expect(one.authenticate(key)).resolves.toMatchObject(shown);
      }
    }, 1_000);
  });

  it('can be named for new keys unless they are suspended; by default, a key acts for the user of the minting key', async () => {
    const { id } = await users.create(admin, { name: 'Ada' });
    expect(await mintFor(id)).toMatchObject({ user_id: id });
    expect(await keys.mint(admin, { ...request, user_id: null })).toMatchObject({ user_id: admin.userId });
    expect(await codeOf(mintFor(newId()))).toBe('user_not_found');
    await users.update(admin, id, { status: 'suspended' });
    expect(await codeOf(mintFor(id))).toBe('user_suspended');
  });

  it('cannot be suspended if no other user has a working admin key, except by the operator', async () => {
    expect(await codeOf(users.update(admin, admin.userId, { status: 'suspended' }))).toBe('user_is_last_admin');
    expect(await users.read(admin, admin.userId)).toMatchObject({ status: 'active' });
    const other = await users.create(admin, { name: 'Other' });
    await keys.mint(admin, { ...request, user_id: other.id, scopes: ['tasks:read'] });
    const { id: keyId } = await mintFor(other.id);
    await keys.revoke(admin, keyId);
    expect(await codeOf(users.update(admin, admin.userId, { status: 'suspended' }))).toBe('user_is_last_admin');
    await mintFor(other.id);
    const both = [admin.userId, other.id].map((id) => codeOf(users.update(admin, id, { status: 'suspended' })));
    expect(new Set(await Promise.all(both))).toEqual(new Set(['no error', 'user_is_last_admin']));
    await users.setStatus(admin, admin.userId, 'suspended');
    await users.setStatus(admin, other.id, 'suspended');
  });

  it('can be deleted until they have a key or have used one', async () => {
    const { id } = await users.create(admin, { name: 'Ada' });
    const { id: keyId } = await mintFor(id);
    expect(await codeOf(deletions.delete(admin, id))).toBe('user_has_keys');
    await expect(deletions.delete(admin, id)).rejects.toThrow(
      `The user still has API keys (${request.name}). Revoke them`,
    );
    await keys.revoke(admin, keyId);
    await deletions.delete(admin, id);
    expect(await codeOf(deletions.delete(admin, id))).toBe('user_not_found');

    const used = await users.create(admin, { name: 'Grace' });
    const minted = await mintFor(used.id);
    await authenticator.authenticate(minted.key);
    await eventually(async () => expect(await codeOf(deletions.delete(admin, used.id))).toBe('user_has_history'));
    await keys.revoke(admin, minted.id);
    expect(await codeOf(deletions.delete(admin, used.id))).toBe('user_has_history');
    await expect(deletions.delete(admin, used.id)).rejects.toThrow(
      /^The user has used the API keys .+ \(last at \d{4}-.*Z\), and records name the user: suspend the user instead$/,
    );
  });

  it('cannot be deleted while they have a revoked key that is BOOTSTRAP_ADMIN_KEY, which would work again', async () => {
    const chosen = `a chosen key that was never used ${organizations}`;
    const owner = { name: 'Owner', email: 'owner@acme.test' };
    const first = await context.get(FirstKeyService).add(admin, describeKey(chosen), owner);
    await keys.revoke(admin, first.id);
    Object.assign(context.get(IdentityConfig), { bootstrapAdminKey: chosen });
    expect(await codeOf(deletions.delete(admin, first.user_id))).toBe('user_has_keys');
    expect(await keys.exists(chosen)).toBe(true);
    Object.assign(context.get(IdentityConfig), { bootstrapAdminKey: null });
  });

  it('include one service user per organization, even if several processes request it at once', async () => {
    const scope = { organizationId: newId() };
    const asked = await Promise.all([
      ...[users.ensureService(scope), elsewhere.get(UserService).ensureService(scope)],
      ...[users.ensureService(scope), elsewhere.get(UserService).ensureService(scope)],
    ]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    expect((await users.list(scope, {}, FIRST_PAGE)).total).toBe(1);
    expect(await users.ensureService(admin)).toMatchObject({ id: admin.userId, name: 'admin', email: null });
  });
});
