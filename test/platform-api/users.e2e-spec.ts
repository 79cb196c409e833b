import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPlatformApiClient, unwrap } from '@app/api-client';
import { eventually, promptly, StreamClient } from '@app/testing';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';
import { PlatformApi } from './platform-api.js';

const USERS = '/api/v1/users';
const KEYS = '/api/v1/auth/keys';

let platform: Platform;
let admin: PlatformApi;

beforeAll(async () => {
  platform = await Platform.shared();
  admin = new PlatformApi(platform);
});

afterAll(() => platform.stop());

const newUser = async (body: object): Promise<string> => String((await admin.expect(201, 'POST', USERS, body))['id']);

async function keyOf(userId: string, scopes: string[]): Promise<PlatformApi> {
  const minted = await admin.expect(201, 'POST', KEYS, { name: 'key of a user', user_id: userId, scopes });
  return new PlatformApi(platform, String(minted['key']));
}

const onControlPlane = (path: string, key: string, method = 'GET', body?: object) =>
  call(method, `${platform.url}/api/v1/${path}`, { key, ...(body === undefined ? {} : { body }) });

describe('users of the platform API', () => {
  it('are created, read, listed, updated and deleted through the typed client, each value exactly as sent', async () => {
    const client = createPlatformApiClient({ baseUrl: admin.url, apiKey: admin.key, retries: null });
    const body = {
      email: 'Ada.L@Example.com',
      name: ' Ada ',
      avatar_url: 'https://example.com/Ada.png?s=1',
      groups: ['z', 'a', 'z'],
    };
    const created = await unwrap(client.POST('/api/v1/users', { body }));
    const shape = { ...body, id: expect.any(String), status: 'active' };
    expect(created).toEqual({ ...shape, created_at: expect.any(String), updated_at: expect.any(String) });
    const params = { path: { id: created.id } };
    expect(await unwrap(client.GET('/api/v1/users/{id}', { params }))).toEqual(created);
    expect(await unwrap(client.GET('/api/v1/users', { params: { query: { email: 'ada.l@EXAMPLE.com' } } }))).toEqual([
      created,
    ]);
    const change = { name: 'Ada', groups: [] as string[], status: 'suspended' as const };
    const updated = await unwrap(client.PATCH('/api/v1/users/{id}', { params, body: change }));
    expect(updated).toEqual({ ...created, ...change, updated_at: expect.any(String) });
    expect(updated.updated_at > created.updated_at).toBe(true);
    const cleared = await unwrap(client.PATCH('/api/v1/users/{id}', { params, body: { email: null, avatar_url: '' } }));
    expect(cleared).toMatchObject({ email: null, avatar_url: null, name: 'Ada', status: 'suspended' });
    const deleted = await admin.call('DELETE', `${USERS}/${created.id}`);
    expect({ status: deleted.status, body: deleted.body }).toEqual({ status: 204, body: undefined });
    expect(await admin.call('GET', `${USERS}/${created.id}`)).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND', details: 'User not found' },
    });
  });

  it('need only a name; null and an empty text mean that a value was not given', async () => {
    const minimal = { email: null, avatar_url: null, groups: [], status: 'active' };
    for (const body of [
      { name: 'bot' },
      { name: 'bot', email: null, avatar_url: null, groups: null },
      { name: 'bot', email: '', avatar_url: '' },
    ]) {
      expect(await admin.expect(201, 'POST', USERS, body)).toMatchObject({ ...minimal, name: 'bot' });
    }
    const id = await newUser({ name: 'kept', email: 'kept@example.com' });
    for (const body of [{}, { name: '' }, { name: null, status: null, groups: null }, { status: '' }]) {
      expect(await admin.expect(200, 'PATCH', `${USERS}/${id}`, body)).toMatchObject({
        name: 'kept',
        email: 'kept@example.com',
        status: 'active',
        groups: [],
      });
    }
  });

  it('are rejected with every fault, with unknown fields, and with an e-mail address that is taken', async () => {
    const faulty = { email: 'no address', name: '', avatar_url: 'javascript:alert(1)', groups: ['a', 1] };
    const rejected = await admin.call('POST', USERS, faulty);
    expect(rejected).toMatchObject({ status: 422, body: { errorCode: 'VALIDATION_ERROR' } });
    for (const field of ['body.email', 'body.name', 'body.avatar_url', 'body.groups.1']) {
      expect((rejected.body as { details: string }).details).toContain(`${field}: `);
    }
    const unknown = await admin.call('POST', USERS, { name: 'x', status: 'active', mail: 'x@example.com' });
    expect(unknown).toMatchObject({
      status: 422,
      body: { details: expect.stringMatching(/^body\.status: Unknown field.*; body\.mail: Unknown field/) },
    });
    const id = await newUser({ name: 'x', email: 'taken@example.com' });
    expect(await admin.call('PATCH', `${USERS}/${id}`, { role: 'x', status: 'gone' })).toMatchObject({ status: 422 });
    const taken = await admin.call('POST', USERS, { name: 'y', email: 'TAKEN@example.com' });
    expect(taken).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });
    expect(taken.headers.get('x-error-code')).toBe('user_email_taken');
  });

  it('are listed newest first, page by page, by status', async () => {
    const api = new PlatformApi(platform, (await platform.createOrganization('listed users')).adminKey);
    const ids: unknown[] = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await api.expect(201, 'POST', USERS, { name }))['id']);
    const listed = await api.call('GET', `${USERS}?skip=1&limit=2`);
    expect((listed.body as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(1));
    expect(listed.headers.get('x-total-count')).toBe('4');
    await api.expect(200, 'PATCH', `${USERS}/${String(ids[0])}`, { status: 'suspended' });
    expect(await api.call('GET', `${USERS}?status=suspended`)).toMatchObject({ body: [{ id: ids[0] }] });
    expect(await api.call('GET', `${USERS}?limit=0`)).toMatchObject({ status: 422 });
  });

  it('act through their keys: validate, me, the session, new executions and jobs show their current data', async () => {
    const id = await newUser({ name: 'Grace', email: 'grace@example.com', groups: ['staff'] });
    const grace = await keyOf(id, ['agents:write', 'tasks:execute', 'tasks:read']);
    const agent = await onControlPlane('agents', grace.key, 'POST', { name: 'agent' });
    const { id: agentId } = agent.body as { id: string };
    const start = async (): Promise<unknown> => {
      const started = await onControlPlane(`agents/${agentId}/execute`, grace.key, 'POST', { prompt: 'p' });
      const { execution_id } = started.body as { execution_id: string };
      return (await onControlPlane(`executions/${execution_id}`, grace.key)).body;
    };
    const before = { user_id: id, user_name: 'Grace', user_email: 'grace@example.com', user_avatar: null };
    expect(await start()).toMatchObject({ ...before, participants: [before] });
    const job = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_type: 'agent', entity_id: agentId };
    expect((await onControlPlane('jobs', grace.key, 'POST', job)).body).toMatchObject({
      created_by: id,
      updated_by: id,
      created_by_email: 'grace@example.com',
      updated_by_email: 'grace@example.com',
    });

    const change = { name: 'Grace Hopper', email: 'hopper@example.com', avatar_url: 'https://example.com/g.png' };
    await admin.expect(200, 'PATCH', `${USERS}/${id}`, change);
    const after = { user_id: id, user_name: change.name, user_email: change.email, user_avatar: change.avatar_url };
    await eventually(async () => {
      expect(await grace.expect(200, 'GET', '/api/v1/auth/validate')).toMatchObject({
        ...after,
        user_status: 'active',
        user_groups: ['staff'],
      });
      const { user_avatar: _avatar, ...withoutAvatar } = after;
      expect(await grace.expect(200, 'GET', '/api/v1/auth/me')).toMatchObject({
        user_id: id,
        user_email: change.email,
      });
      expect((await onControlPlane('client/session', grace.key)).body).toMatchObject(withoutAvatar);
      expect(await start()).toMatchObject({ ...after, participants: [after] });
    }, 1_000);
  });

  it('lose their keys, streams and polls on both APIs within a second while they are suspended', async () => {
    const id = await newUser({ name: 'leaver' });
    const leaver = await keyOf(id, ['tasks:read']);
    const scenario = new Scenario(platform);
    const execution = await scenario.execute(await scenario.newAgent(), 'wait', await scenario.newQueue('unserved'));
    const url = `${platform.url}/api/v1/executions/${execution}/stream`;
    const stream = await StreamClient.open(url, undefined, leaver.key);
    await eventually(() => expect(stream.types).toContain('history_complete'));
    await leaver.expect(200, 'GET', '/api/v1/auth/me');

    await admin.expect(200, 'PATCH', `${USERS}/${id}`, { status: 'suspended' });
    await promptly(async () => {
      expect(stream.ended).not.toBeNull();
      expect(await onControlPlane('models', leaver.key)).toMatchObject({ status: 401 });
      const refused = await leaver.call('GET', '/api/v1/auth/me');
      expect(refused).toMatchObject({ status: 401, body: { errorCode: 'INVALID_API_KEY' } });
    }, 1_000);
    const minted = await admin.call('POST', KEYS, { name: 'k', user_id: id });
    expect(minted).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });

    await admin.expect(200, 'PATCH', `${USERS}/${id}`, { status: 'active' });
    await eventually(async () => {
      expect(await onControlPlane('models', leaver.key)).toMatchObject({ status: 200 });
      await leaver.expect(200, 'GET', '/api/v1/auth/me');
    }, 1_000);
  });

  it('cannot be deleted once they have keys or a history, nor suspended if they are the last admin', async () => {
    const id = await newUser({ name: 'busy' });
    const busy = await keyOf(id, ['tasks:read']);
    const withKeys = await admin.call('DELETE', `${USERS}/${id}`);
    expect(withKeys.headers.get('x-error-code')).toBe('user_has_keys');
    expect(withKeys).toMatchObject({
      status: 409,
      body: { details: expect.stringContaining('API keys (key of a user)') },
    });
    await busy.expect(200, 'GET', '/api/v1/auth/me');
    await eventually(async () => {
      const refused = await admin.call('DELETE', `${USERS}/${id}`);
      expect(refused.headers.get('x-error-code')).toBe('user_has_history');
    });
    const { user_id: self } = await admin.expect(200, 'GET', '/api/v1/auth/me');
    const locked = await admin.call('PATCH', `${USERS}/${String(self)}`, { status: 'suspended' });
    expect(locked).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });
    expect(locked.headers.get('x-error-code')).toBe('user_is_last_admin');
    await admin.expect(200, 'GET', '/api/v1/auth/me');
  });

  it('are managed by admin keys only', async () => {
    const reader = await admin.withScopes('agents:read');
    for (const [method, path] of [
      ['GET', USERS] as const,
      ['POST', USERS] as const,
      ['GET', `${USERS}/u`] as const,
      ['PATCH', `${USERS}/u`] as const,
      ['DELETE', `${USERS}/u`] as const,
    ]) {
      const body = method === 'POST' || method === 'PATCH' ? { name: 'x' } : undefined;
      expect(await reader.call(method, path, body)).toMatchObject({ status: 403 });
    }
  });
});

describe('the session of a client', () => {
  it('is the key with its scopes, user and organization, for any key', async () => {
    const { id, adminKey } = await platform.createOrganization('Session Inc', { exactName: true });
    const api = new PlatformApi(platform, adminKey);
    const user = await api.expect(201, 'POST', USERS, { name: 'Ada', email: 'ada@example.com' });
    const expires_at = '2099-01-01T00:00:00.000Z';
    const request = { name: 'console', scopes: [], user_id: user['id'], expires_at };
    const minted = await api.expect(201, 'POST', KEYS, request);
    const { status, body } = await onControlPlane('client/session', String(minted['key']));
    expect(status).toBe(200);
    expect(body).toEqual({
      key_id: minted['id'],
      key_name: 'console',
      scopes: [],
      organization_id: id,
      organization_name: 'Session Inc',
      user_id: user['id'],
      user_name: 'Ada',
      user_email: 'ada@example.com',
      expires_at,
      server_time: expect.stringMatching(/Z$/),
      platform_api: true,
    });
  });
});
