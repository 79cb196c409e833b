import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, StreamClient } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { PlatformApi } from './platform-api.js';

const KEYS = '/api/v1/auth/keys';

let platform: Platform;
let admin: PlatformApi;

beforeAll(async () => {
  platform = await Platform.shared();
  admin = new PlatformApi(platform);
});

afterAll(() => platform.stop());

interface KeyRecord {
  readonly id: string;
  readonly last_used: string | null;
}

async function listKeys(api: PlatformApi): Promise<readonly KeyRecord[]> {
  return (await api.expect(200, 'GET', KEYS))['keys'] as KeyRecord[];
}

describe('keys of the platform API', () => {
  it('are returned only at creation, with Cache-Control: no-store', async () => {
    const expires_at = '2099-01-01T00:00:00.000Z';
    const request = { name: 'reports', description: 'for the night', scopes: ['tasks:read'], expires_at };
    const response = await admin.call('POST', KEYS, request);
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { key, ...record } = response.body as { key: string };
    expect(key).toMatch(/^ak_[0-9A-Za-z]{36}$/);
    const { user_id } = await admin.expect(200, 'GET', '/api/v1/auth/me');
    const rate_limits = { burst: null, per_minute: null, per_day: null };
    const age = { age_days: 0, rotation_due: false };
    const shape = { id: expect.stringMatching(/^key_/), user_id, last_used: null, created_at: expect.any(String) };
    expect(record).toEqual({ ...request, ...shape, ...age, rate_limits });
    expect(await listKeys(admin)).toContainEqual(record);
  });

  it('work on both APIs', async () => {
    const reader = await admin.withScopes('tasks:read');
    await expect(call('GET', `${platform.url}/api/v1/models`, { key: reader.key })).resolves.toMatchObject({
      status: 200,
    });
    await expect(reader.expect(200, 'GET', '/api/v1/auth/me')).resolves.toMatchObject({ scopes: ['tasks:read'] });
  });

  it('say on both APIs that they have expired, but not that they were revoked', async () => {
    const minted = await admin.expect(201, 'POST', KEYS, { name: 'short', scopes: ['tasks:read'] });
    const key = String(minted['key']);
    const answers = async (): Promise<Set<string>> => {
      const sent = [
        call('GET', `${platform.url}/api/v1/models`, { key }),
        call('GET', `${platform.platformApi?.url}/api/v1/auth/me`, { key, scheme: 'UserKey' }),
      ];
      const texts = (await Promise.all(sent)).map(
        ({ status, headers, body }) =>
          `${status} ${headers.get('x-error-code')} ${JSON.stringify(body).includes('has expired')}`,
      );
      return new Set(texts);
    };
    await platform.sql(`UPDATE api_keys SET expires_at = '2000-01-01' WHERE id = $1`, [minted['id']]);
    await eventually(async () => expect(await answers()).toEqual(new Set(['401 key_expired true'])));
    await admin.expect(204, 'DELETE', `${KEYS}/${String(minted['id'])}`);
    await eventually(async () => expect(await answers()).toEqual(new Set(['401 key_invalid false'])));
  });

  it('end their streams and polls when they are revoked', async () => {
    const minted = await admin.expect(201, 'POST', KEYS, { name: 'leaves', scopes: ['tasks:read', 'runners:manage'] });
    const key = String(minted['key']);
    const user = new Scenario(platform);
    const id = await user.execute(await user.newAgent(), 'wait', await user.newQueue('nobody-polls'));
    const stream = await StreamClient.open(`${platform.url}/api/v1/executions/${id}/stream`, undefined, key);
    const workerQueue = await user.newQueue('poll-of-a-revoked-key');
    const started = await call('POST', `${platform.url}/api/v1/worker-queues/${workerQueue}/start`, { key });
    const { worker_id } = started.body as { worker_id: string };
    const poll = call('POST', `${platform.url}/api/v1/workers/${worker_id}/poll`, { key, body: { wait_seconds: 30 } });
    await eventually(() => expect(stream.types).toContain('history_complete'));
    // This response follows the arrival of the poll, so the key is revoked while the poll waits.
    await call('GET', `${platform.url}/api/v1/workers/${worker_id}`, { key });
    await admin.call('DELETE', `${KEYS}/${String(minted['id'])}`);
    await eventually(() => expect(stream.ended).not.toBeNull());
    expect(await poll).toMatchObject({ status: 200, body: [] });
    expect(await call('POST', `${platform.url}/api/v1/workers/${worker_id}/poll`, { key, body: {} })).toMatchObject({
      status: 401,
    });
  });

  it('have the scopes of the creating key by default, and none with an empty list', async () => {
    await expect(admin.expect(201, 'POST', KEYS, { name: 'same' })).resolves.toMatchObject({ scopes: ['admin'] });
    await expect(admin.expect(201, 'POST', KEYS, { name: 'same', scopes: null })).resolves.toMatchObject({
      scopes: ['admin'],
    });
    await expect(admin.expect(201, 'POST', KEYS, { name: 'none', scopes: [] })).resolves.toMatchObject({ scopes: [] });
  });

  it('expire no later than the creating key', async () => {
    const { key } = await admin.expect(201, 'POST', KEYS, { name: 'short', expires_at: '2090-01-01T00:00:00Z' });
    const short = new PlatformApi(platform, String(key));
    await expect(short.expect(201, 'POST', KEYS, { name: 'heir' })).resolves.toMatchObject({
      expires_at: '2090-01-01T00:00:00.000Z',
    });
    const response = await short.call('POST', KEYS, { name: 'heir', expires_at: '2091-01-01T00:00:00Z' });
    expect(response).toMatchObject({ status: 422, body: { errorCode: 'VALIDATION_ERROR' } });
  });

  it('are rejected with unknown scopes or an expiry in the past, with every fault', async () => {
    const response = await admin.call('POST', KEYS, { name: 'x', scopes: ['tasks:read', 'fly', 'swim'] });
    expect(response).toMatchObject({
      status: 422,
      body: {
        details: expect.stringMatching(
          /^body\.scopes\.1: Unknown scope: fly \(known: .*agents:read.*\); body\.scopes\.2: Unknown scope: swim/,
        ),
      },
    });
    const misspelt = await admin.call('POST', KEYS, { name: 'x', scope: ['agents:read'], expires: '2020-01-01' });
    expect(misspelt).toMatchObject({
      status: 422,
      body: { details: expect.stringMatching(/^body\.scope: Unknown field.*; body\.expires: Unknown field/) },
    });
    const late = await admin.call('POST', KEYS, { name: 'x', expires_at: '2020-01-01' });
    expect(late).toMatchObject({ status: 422, body: { details: expect.stringContaining('body.expires_at') } });
  });

  it('are created again for a repeated Idempotency-Key, because the response is not stored', async () => {
    const headers = { 'Idempotency-Key': 'same-for-both' };
    const create = () => admin.call('POST', KEYS, { name: 'again', scopes: [] }, { headers });
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((first.body as { key: string }).key).not.toBe((second.body as { key: string }).key);
  });

  it('are rejected by both APIs within a second after they are revoked, and are no longer listed', async () => {
    const { id, key } = (await admin.expect(201, 'POST', KEYS, { name: 'leaver' })) as { id: string; key: string };
    const leaver = new PlatformApi(platform, key);
    await leaver.expect(200, 'GET', '/api/v1/auth/validate');
    await expect(call('GET', `${platform.url}/api/v1/models`, { key })).resolves.toMatchObject({ status: 200 });

    const revoked = await admin.call('DELETE', `${KEYS}/${id}`);
    expect({ status: revoked.status, body: revoked.body }).toEqual({ status: 204, body: undefined });
    await eventually(async () => {
      expect(await call('GET', `${platform.url}/api/v1/models`, { key })).toMatchObject({ status: 401 });
      expect(await leaver.call('GET', '/api/v1/auth/validate')).toMatchObject({
        status: 401,
        body: { errorCode: 'INVALID_API_KEY' },
      });
    }, 1_000);
    expect((await listKeys(admin)).map((record) => record.id)).not.toContain(id);
    expect(await admin.call('DELETE', `${KEYS}/${id}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND' },
    });
  });

  it('cannot all be revoked: a request to revoke the last one with the scope admin returns 409', async () => {
    const api = new PlatformApi(platform, (await platform.createOrganization('one admin key')).adminKey);
    const { key_id } = await api.expect(200, 'GET', '/api/v1/auth/me');
    const refused = await api.call('DELETE', `${KEYS}/${String(key_id)}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { errorCode: 'CONFLICT', details: expect.stringContaining('create one first') },
    });
    expect(refused.headers.get('x-error-code')).toBe('api_key_is_last_admin');
    const { key } = await api.expect(201, 'POST', KEYS, { name: 'successor' });
    const successor = new PlatformApi(platform, String(key));
    expect((await successor.call('DELETE', `${KEYS}/${String(key_id)}`)).status).toBe(204);
  });

  it('are rotated: the successor has the same scopes, user and limits, and the old key remains valid for some time', async () => {
    const expires_at = '2090-01-01T00:00:00.000Z';
    const old = await admin.expect(201, 'POST', KEYS, { name: 'old', scopes: ['tasks:read'], expires_at });
    const rate_limits = { burst: 7777, per_minute: null, per_day: null };
    const path = `${KEYS}/${String(old['id'])}`;
    await admin.expect(200, 'PATCH', path, { rate_limits: { burst: 7777 } });
    const before = Date.now();
    const rotated = await admin.call('POST', `${path}/rotate`, { overlap_seconds: 3600 });
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    const successor = rotated.body as Record<string, unknown>;
    const same = { name: 'old', scopes: ['tasks:read'], user_id: old['user_id'], rate_limits, expires_at };
    expect(successor).toMatchObject({ ...same, key: expect.stringMatching(/^ak_/) });
    expect(successor['id']).not.toBe(old['id']);
    for (const { key } of [old, successor]) {
      await new PlatformApi(platform, String(key)).expect(200, 'GET', '/api/v1/auth/me');
    }
    const listed = (await listKeys(admin)).find(({ id }) => id === old['id']) as unknown as { expires_at: string };
    const endsAt = Date.parse(listed.expires_at) - 3_600_000;
    expect(endsAt).toBeGreaterThanOrEqual(before);
    expect(endsAt).toBeLessThanOrEqual(Date.now());
  });

  it('remain valid for a day beside their successor if the overlap is not given', async () => {
    for (const body of [undefined, {}, { overlap_seconds: null }]) {
      const { id } = await admin.expect(201, 'POST', KEYS, { name: 'old' });
      const before = Date.now();
      await admin.expect(201, 'POST', `${KEYS}/${String(id)}/rotate`, body);
      const listed = (await listKeys(admin)).find((key) => key.id === id) as unknown as { expires_at: string };
      const endsAt = Date.parse(listed.expires_at) - 86_400_000;
      expect(endsAt).toBeGreaterThanOrEqual(before);
      expect(endsAt).toBeLessThanOrEqual(Date.now());
    }
  });

  it('that rotate themselves twice get successors with the same expiry', async () => {
    const { id, key } = (await admin.expect(201, 'POST', KEYS, { name: 'first' })) as { id: string; key: string };
    const own = new PlatformApi(platform, key);
    for (let n = 0; n < 2; n += 1) {
      const successor = await own.expect(201, 'POST', `${KEYS}/${id}/rotate`, { overlap_seconds: 3600 });
      expect(successor).toMatchObject({ name: 'first', expires_at: null });
    }
    const { expires_at } = await own.expect(201, 'POST', KEYS, { name: 'another', expires_at: '2099-01-01T00:00:00Z' });
    expect(expires_at).toBe('2099-01-01T00:00:00.000Z');
  });

  it('that are rotated without an overlap are rejected by both APIs', async () => {
    const { id, key } = (await admin.expect(201, 'POST', KEYS, { name: 'leaks' })) as { id: string; key: string };
    await new PlatformApi(platform, key).expect(200, 'GET', '/api/v1/auth/me');
    await expect(call('GET', `${platform.url}/api/v1/models`, { key })).resolves.toMatchObject({ status: 200 });
    const heir = await admin.expect(201, 'POST', `${KEYS}/${id}/rotate`, { overlap_seconds: 0 });
    await eventually(async () => {
      expect(await call('GET', `${platform.url}/api/v1/models`, { key })).toMatchObject({ status: 401 });
      expect(await new PlatformApi(platform, key).call('GET', '/api/v1/auth/me')).toMatchObject({ status: 401 });
    });
    await new PlatformApi(platform, String(heir['key'])).expect(200, 'GET', '/api/v1/auth/me');
  });

  it('are neither rotated nor changed with an invalid value, or if they are revoked', async () => {
    const { id } = (await admin.expect(201, 'POST', KEYS, { name: 'steady' })) as { id: string };
    for (const [method, path, body, field] of [
      ['POST', `${KEYS}/${id}/rotate`, { overlap_seconds: 604_801 }, 'body.overlap_seconds'],
      ['POST', `${KEYS}/${id}/rotate`, { overlap: 5 }, 'body.overlap'],
      ['POST', `${KEYS}/${id}/rotate`, { expires_at: '2020-01-01' }, 'body.expires_at'],
      ['PATCH', `${KEYS}/${id}`, { rate_limits: { burst: 0 } }, 'body.rate_limits.burst'],
      ['PATCH', `${KEYS}/${id}`, { scopes: ['admin'] }, 'body.scopes'],
    ] as const) {
      const response = await admin.call(method, path, body);
      expect(response).toMatchObject({ status: 422, body: { details: expect.stringContaining(field) } });
    }
    await admin.expect(200, 'PATCH', `${KEYS}/${id}`, {});
    await admin.call('DELETE', `${KEYS}/${id}`);
    expect(await admin.call('POST', `${KEYS}/${id}/rotate`, {})).toMatchObject({ status: 404 });
    expect(await admin.call('PATCH', `${KEYS}/${id}`, { name: 'x' })).toMatchObject({ status: 404 });
  });

  it('record the time of their last use', async () => {
    const { id, key } = (await admin.expect(201, 'POST', KEYS, { name: 'used' })) as { id: string; key: string };
    await new PlatformApi(platform, key).expect(200, 'GET', '/api/v1/auth/me');
    await eventually(async () => {
      const record = (await listKeys(admin)).find((candidate) => candidate.id === id);
      expect(record?.last_used).toEqual(expect.any(String));
    });
  });

  it('are not accessible to another organization', async () => {
    const { id } = (await admin.expect(201, 'POST', KEYS, { name: 'ours' })) as { id: string };
    const stranger = new PlatformApi(platform, (await platform.createOrganization('strangers of keys')).adminKey);
    expect(await stranger.call('DELETE', `${KEYS}/${id}`)).toMatchObject({ status: 404 });
    expect((await listKeys(stranger)).map((record) => record.id)).not.toContain(id);
    expect((await listKeys(admin)).map((record) => record.id)).toContain(id);
  });

  it.each([
    ['POST', KEYS],
    ['GET', KEYS],
    ['PATCH', `${KEYS}/key_any`],
    ['POST', `${KEYS}/key_any/rotate`],
    ['DELETE', `${KEYS}/key_any`],
  ])('are managed by admin keys only: %s %s', async (method, path) => {
    const reader = await admin.withScopes('agents:read', 'tasks:execute');
    const response = await reader.call(method, path, method === 'POST' ? { name: 'x' } : undefined);
    expect(response).toMatchObject({
      status: 403,
      body: { errorCode: 'INSUFFICIENT_SCOPE', details: expect.stringContaining('admin') },
    });
  });
});

describe('the identity of a key', () => {
  it('is returned by validate: its organization and user', async () => {
    const { id, adminKey } = await platform.createOrganization('Acme Inc', { exactName: true });
    const api = new PlatformApi(platform, adminKey);
    await expect(api.expect(200, 'GET', '/api/v1/auth/validate')).resolves.toEqual({
      valid: true,
      id,
      name: 'Acme Inc',
      slug: 'acme-inc',
      user_id: expect.any(String),
      user_email: null,
      user_name: 'admin',
      user_avatar: null,
      user_status: 'active',
      user_groups: [],
    });
  });

  it('is validated by HEAD without a body', async () => {
    expect(await admin.call('HEAD', '/api/v1/auth/validate')).toMatchObject({ status: 200, body: undefined });
    const invalid = await call('HEAD', `${admin.url}/api/v1/auth/validate`, {
      scheme: 'UserKey',
      key: 'no-key-of-ours-at-all',
    });
    expect(invalid.status).toBe(401);
  });

  it('is returned by me: the key, its scopes and its expiry', async () => {
    const { id, key, scopes } = await admin.expect(201, 'POST', KEYS, { name: 'me', scopes: ['tasks:read', 'admin'] });
    await expect(new PlatformApi(platform, String(key)).expect(200, 'GET', '/api/v1/auth/me')).resolves.toEqual({
      key_id: id,
      name: 'me',
      scopes,
      organization_id: expect.any(String),
      user_id: expect.any(String),
      user_email: null,
      expires_at: null,
    });
  });
});
