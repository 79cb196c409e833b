import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IdentityConfig } from '@app/config';
import { DomainError, type Caller, type KeyScope } from '@app/kernel';
import { createTestContext, eventually, type TestContext } from '@app/testing';
import { IdentityModule } from './identity.module.js';
import type { MintKey } from './identity.types.js';
import { KeyService } from './key.service.js';
import { OrganizationService } from './organization.service.js';

const request: MintKey = { name: 'k', description: null, expires_at: null };

describe('keys', () => {
  let context: TestContext;
  let keys: KeyService;
  let admin: Caller;
  let organizations = 0;

  beforeAll(async () => {
    context = await createTestContext([IdentityModule]);
    keys = context.get(KeyService);
  });

  beforeEach(async () => {
    organizations += 1;
    const { adminKey } = await context.get(OrganizationService).create(`org ${organizations}`);
    admin = await keys.authenticate(adminKey.key);
  });

  afterAll(() => context.close());

  it('name their caller, with the owner and the scopes of the key', async () => {
    const minted = await keys.mint(admin, { ...request, scopes: ['tasks:read'] });
    const caller = await keys.authenticate(minted.key);
    expect(caller).toMatchObject({ keyId: minted.id, scopes: ['tasks:read'], userId: admin.userId });
    expect(caller.organizationId).toBe(admin.organizationId);
  });

  it('get their maker’s scopes when none are asked for, and none when none are given', async () => {
    const maker = await withScopes(['admin', 'tasks:read']);
    expect((await keys.mint(maker, request)).scopes).toEqual(['admin', 'tasks:read']);
    expect((await keys.mint(maker, { ...request, scopes: [] })).scopes).toEqual([]);
  });

  it('can not carry a scope or an expiry beyond their maker’s', async () => {
    const soon = new Date(Date.now() + 60_000);
    const maker = { ...(await withScopes(['tasks:read'])), expiresAt: soon };
    expect(await faultsOf(keys.mint(maker, { ...request, scopes: ['tasks:execute'] }))).toEqual(['body.scopes.0']);
    expect(await faultsOf(keys.mint(maker, { ...request, expires_at: new Date(Date.now() + 120_000) }))).toEqual([
      'body.expires_at',
    ]);
    expect((await keys.mint(maker, request)).expires_at).toEqual(soon);
  });

  it('refuse an unknown scope and an expiry in the past', async () => {
    expect(await faultsOf(keys.mint(admin, { ...request, scopes: ['tasks:dance'] }))).toEqual(['body.scopes.0']);
    expect(await faultsOf(keys.mint(admin, { ...request, expires_at: new Date(0) }))).toEqual(['body.expires_at']);
    const both = { ...request, scopes: ['tasks:dance'], expires_at: new Date(0) };
    expect(await faultsOf(keys.mint(admin, both))).toEqual(['body.scopes.0', 'body.expires_at']);
  });

  it('stop working when revoked, here at once and in another process within a second', async () => {
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    const minted = await keys.mint(admin, request);
    await elsewhere.get(KeyService).authenticate(minted.key);
    await keys.revoke(admin, minted.id);
    await expect(keys.authenticate(minted.key)).rejects.toThrow(DomainError);
    await eventually(() => expect(elsewhere.get(KeyService).authenticate(minted.key)).rejects.toThrow(DomainError));
    await elsewhere.close();
  });

  it('stop working when they expire, even while they are remembered', async () => {
    const minted = await keys.mint(admin, { ...request, expires_at: new Date(Date.now() + 300) });
    await keys.authenticate(minted.key);
    await eventually(() => expect(keys.authenticate(minted.key)).rejects.toThrow(DomainError));
  });

  it('tell when they end, revoked elsewhere or expired, to who is still there, and only then', async () => {
    const elsewhere = await createTestContext([IdentityModule], { shareWith: context });
    const minted = { revoked: await keys.mint(admin, request), kept: await keys.mint(admin, request) };
    const expiring = await keys.mint(admin, { ...request, expires_at: new Date(Date.now() + 300) });
    const ended: string[] = [];
    const watch = (name: string, key: string): (() => void) =>
      elsewhere.get(KeyService).whenEnded(key, () => ended.push(name));
    const stops = [
      watch('revoked', minted.revoked.key),
      watch('kept', minted.kept.key),
      watch('expired', expiring.key),
    ];
    watch('has left', minted.revoked.key)();
    await keys.revoke(admin, minted.revoked.id);
    await eventually(() => expect([...ended].sort()).toEqual(['expired', 'revoked']));
    for (const stop of stops) stop();
    await elsewhere.close();
  });

  it('are listed and revoked within their organisation only', async () => {
    const minted = await keys.mint(admin, request);
    const { adminKey } = await context.get(OrganizationService).create(`stranger ${organizations}`);
    const stranger = await keys.authenticate(adminKey.key);
    expect((await keys.list(stranger)).map(({ id }) => id)).toEqual([adminKey.id]);
    await expect(keys.revoke(stranger, minted.id)).rejects.toThrow('API key not found');
    await expect(keys.authenticate(minted.key)).resolves.toBeDefined();
  });

  it('note their last use', async () => {
    const minted = await keys.mint(admin, request);
    await keys.authenticate(minted.key);
    await eventually(async () => {
      const record = (await keys.list(admin)).find(({ id }) => id === minted.id);
      expect(record?.last_used).toBeInstanceOf(Date);
    });
  });

  async function withScopes(scopes: readonly KeyScope[]): Promise<Caller> {
    return keys.authenticate((await keys.mint(admin, { ...request, scopes })).key);
  }
});

describe('the first start', () => {
  it('makes one organisation with one admin key, however many processes start at once', async () => {
    const context = await createTestContext([IdentityModule]);
    const service = context.get(OrganizationService);
    const made = await Promise.all([service.bootstrap(), service.bootstrap(), service.bootstrap()]);
    const keys = made.filter((key) => key !== undefined);
    expect(keys).toHaveLength(1);
    expect((await context.get(KeyService).authenticate(keys[0])).scopes).toEqual(['admin']);
    await context.close();
  });

  it('takes whatever key was chosen, also one that looks like a generated one with a wrong checksum', async () => {
    const context = await createTestContext([IdentityModule]);
    for (const bootstrapAdminKey of [`ak_${'A'.repeat(36)}`, 'a key with spaces in it']) {
      Object.assign(context.get(IdentityConfig), { bootstrapAdminKey });
      expect(await context.get(OrganizationService).bootstrap()).toBeUndefined();
      const { scopes } = await context.get(KeyService).authenticate(bootstrapAdminKey);
      expect(scopes).toEqual(['admin']);
    }
    await context.close();
  });
});

async function faultsOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof DomainError ? error.faults.map(({ loc }) => loc.join('.')) : ['no fault'];
}
