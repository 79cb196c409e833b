import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '@app/identity';
import { VERSION } from '@app/kernel';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

const KEYS = '/api/v1/auth/keys';

let platform: Platform;
let admin: PlatformApi;

beforeAll(async () => {
  platform = await Platform.shared();
  admin = new PlatformApi(platform);
});

afterAll(() => platform.stop());

describe('errors of the platform API', () => {
  it.each([
    ['no Authorization header', undefined],
    ['a key under the Bearer scheme', 'Bearer'],
    ['a key under the Basic scheme', 'Basic'],
  ])('are 401 with a challenge for %s', async (_case, scheme) => {
    const sent = scheme === undefined ? {} : { scheme, key: platform.adminKey };
    const response = await call('GET', `${admin.url}/api/v1/auth/me`, sent);
    expect(response.headers.get('www-authenticate')).toBe('UserKey');
    expect({ status: response.status, body: response.body }).toEqual({
      status: 401,
      body: {
        error: 'Authentication required',
        details: expect.any(String),
        errorCode: 'AUTH_REQUIRED',
        status: 401,
      },
    });
  });

  it('are the same for an unknown and a malformed key', async () => {
    for (const key of [generateKey().key, 'short', 'a-key-that-was-never-created']) {
      const response = await call('GET', `${admin.url}/api/v1/auth/me`, { scheme: 'UserKey', key });
      expect({ status: response.status, body: response.body }).toEqual({
        status: 401,
        body: {
          error: 'Invalid API key',
          details: 'The API key is not valid or has been revoked',
          errorCode: 'INVALID_API_KEY',
          status: 401,
        },
      });
    }
  });

  it('are 401 for headers that try to break the check of keys, on both APIs', async () => {
    const statusOf = (url: string, request: string, ...lines: readonly string[]): Promise<string> => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      const headers = [`Host: ${hostname}`, 'Connection: close', ...lines];
      socket.write(Buffer.from(`${request} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'utf8'));
      return new Promise((resolve, reject) => {
        socket.once('data', (bytes) => resolve(bytes.toString().split(' ')[1] ?? ''));
        socket.once('error', reject);
      });
    };
    const apis = [
      [admin.url, 'GET /api/v1/auth/me', 'UserKey'],
      [platform.url, 'GET /api/v1/models', 'Bearer'],
      [platform.url, 'PATCH /api/v1/executions/none', 'Bearer'],
    ] as const;
    for (const [url, request, scheme] of apis) {
      const valid = `Authorization: ${scheme} ${admin.key}`;
      const keys = [
        '',
        ' ',
        'x'.repeat(8_000),
        `ak_${'0'.repeat(36)}`,
        `${admin.key}\t`.repeat(3),
        `${admin.key} ${admin.key}`,
        `${admin.key},${admin.key}`,
        "' OR '1'='1' --",
        "'); DROP TABLE api_keys; --",
        '%00%0a../../etc/passwd',
        '{"$ne":null}',
        'ключ-🔑-ａｋ＿',
        '${jndi:ldap://127.0.0.1/x}',
      ];
      for (const key of keys)
        expect([key, await statusOf(url, request, `Authorization: ${scheme} ${key}`)]).toEqual([key, '401']);
      for (const lines of [[valid, 'Authorization: none'], [valid, valid], [`Authorization: ${admin.key}`], []])
        expect([lines, await statusOf(url, request, ...lines)]).toEqual([lines, '401']);
    }
    expect((await admin.call('GET', '/api/v1/auth/me')).status).toBe(200);
  });

  it('name the scope that a key lacks', async () => {
    const reader = await admin.withScopes('agents:read');
    const { status, body } = await reader.call('GET', KEYS);
    expect({ status, body }).toEqual({
      status: 403,
      body: {
        error: 'Insufficient scope',
        details: 'This key lacks the required scope: admin',
        errorCode: 'INSUFFICIENT_SCOPE',
        status: 403,
      },
    });
  });

  it('list every fault of a request', async () => {
    const { status, body } = await admin.call('POST', KEYS, { scopes: 'all', expires_at: 'soon' });
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: 'Validation failed', errorCode: 'VALIDATION_ERROR', status: 422 });
    const { details } = body as { details: string };
    for (const field of ['body.name', 'body.scopes', 'body.expires_at']) expect(details).toContain(field);
    await expect(admin.call('POST', KEYS, { scopes: ['fly'], expires_at: 'soon' })).resolves.toMatchObject({
      body: {
        details: expect.stringMatching(
          /^body\.name: Field required; body\.expires_at: Input should be a valid ISO 8601 date-time; body\.scopes\.0: Unknown scope: fly \(known: agents:read/,
        ),
      },
    });
  });

  it.each([
    ['malformed JSON', { raw: '{"name":', headers: { 'Content-Type': 'application/json' } }, 422, 'VALIDATION_ERROR'],
    ['a NUL in a text', { raw: '{"name":"a\\u0000"}' }, 422, 'VALIDATION_ERROR'],
    [
      'another content type',
      { raw: 'name=x', headers: { 'Content-Type': 'text/plain' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a body over 1 MiB', { raw: JSON.stringify({ name: 'x'.repeat(1_100_000) }) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('have the same form for %s', async (_case, sent, status, errorCode) => {
    const response = await admin.call('POST', KEYS, undefined, sent);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect({ status: response.status, body: response.body }).toEqual({
      status,
      body: { error: expect.any(String), details: expect.any(String), errorCode, status },
    });
  });

  it('have the same form for an unknown route', async () => {
    const { status, body } = await admin.call('GET', '/api/v1/nothing');
    expect({ status, body }).toEqual({
      status: 404,
      body: { error: 'Not found', details: 'Not Found', errorCode: 'NOT_FOUND', status: 404 },
    });
  });

  it('have a request id', async () => {
    const response = await admin.call('GET', '/api/v1/nothing', undefined, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(response.headers.get('x-request-id')).toBe('mine-1');
  });
});

describe('the platform API', () => {
  it('returns its health without a key', async () => {
    await expect(call('GET', `${admin.url}/api/health/ready`)).resolves.toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        version: VERSION,
        checks: { postgres: 'up', writes: 'up', redis: 'up', queue: 'up', migrations: 'up' },
      },
    });
  });

  it('returns an OpenAPI document with its error body and the scope of each route', async () => {
    const { body } = await call('GET', `${admin.url}/api/openapi.json`);
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { version: VERSION },
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } },
        schemas: { Error: { required: ['error', 'details', 'errorCode', 'status'] } },
      },
      paths: { [KEYS]: { post: { operationId: 'keys_create', 'x-required-scope': 'admin' } } },
    });
  });
});
