import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

describe('the files of the web console', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${platform.url}${path}`, { redirect: 'manual', headers });

  it('have a policy that allows no script and no style but their own files', async () => {
    for (const path of ['/console/', '/console/keys', '/console/traces/5b8efff798038103d269b633813fc60c']) {
      const response = await get(path);
      expect([response.status, response.headers.get('content-security-policy')]).toEqual([200, POLICY]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const html = await response.text();
      expect(html).toContain('<div id="root"></div>');
      expect(html).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
    }
  });

  it('are kept by browsers if their name changes with their content, and are sent compressed', async () => {
    const [script = ''] = /\/console\/assets\/[\w.-]+\.js/.exec(await (await get('/console/')).text()) ?? [];
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const { headers, status } = await get(script, { 'accept-encoding': accepted });
      expect([status, headers.get('content-encoding')]).toEqual([200, coding]);
      expect(headers.get('vary')).toContain('Accept-Encoding');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    const etag = (await get('/console/theme.js')).headers.get('etag') ?? '';
    // As browsers ask again; `fetch` of Node would say `no-cache`.
    const again = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await get('/console/theme.js', again)).status).toBe(304);
  });

  it('are only those of the build', async () => {
    expect((await get('/console/assets/gone.js')).status).toBe(404);
    for (const path of ['..%2f..%2fbundles%2fcontrol-plane.cjs', '%2e%2e/%2e%2e/bundles/control-plane.cjs']) {
      expect(await (await get(`/console/${path}`)).text()).not.toContain('use strict');
    }
  });

  it('are the first page for browsers, and only for them', async () => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { accept: 'text/html,application/xhtml+xml' };
      const browser = await fetch(platform.url, { method, headers, redirect: 'manual' });
      expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/']);
    }
    expect((await get('/')).status).toBe(404);
    const short = await get('/console');
    expect([short.status, short.headers.get('location')]).toEqual([301, '/console/']);
  });

  it('are not served if the console is turned off', async () => {
    const { url } = await platform.startControlPlane({ CONSOLE_ENABLED: 'false' });
    for (const path of ['/console/', '/']) {
      expect((await fetch(`${url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' })).status).toBe(404);
    }
  });
});

describe('the requests of the console for keys and users', () => {
  const received: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const platformApi = createServer(({ url, headers }, response) => {
    received.push({ path: url, headers });
    if (url?.includes('redirect') === true) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    else response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{"keys":[]}');
  });
  let platform: Platform;
  let url: string;

  beforeAll(async () => {
    await once(platformApi.listen(0, '127.0.0.1'), 'listening');
    platform = await Platform.shared();
    const address = `http://127.0.0.1:${(platformApi.address() as AddressInfo).port}`;
    ({ url } = await platform.startControlPlane({ PLATFORM_API_URL: address }));
  });

  afterAll(async () => {
    platformApi.closeAllConnections();
    platformApi.close();
    await platform.stop();
  });

  const KEYS = '/console/platform/api/v1/auth/keys';
  const USERS = '/console/platform/api/v1/users';
  const send = (method: string, path: string, options: Parameters<typeof call>[2] = {}) =>
    call(method, `${url}${path}`, { key: platform.adminKey, unchecked: true, ...options });

  it('reach the platform API as the caller, with few headers in both directions', async () => {
    const response = await send('GET', `${KEYS}?limit=1`, {
      headers: { cookie: 'a=b', origin: 'https://evil.example', 'x-forwarded-for': '1.2.3.4', 'x-request-id': 'r1' },
    });
    expect([response.status, response.body]).toEqual([200, { keys: [] }]);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { path, headers } = received.at(-1) ?? { path: '', headers: {} };
    expect(path).toBe('/api/v1/auth/keys?limit=1');
    expect(headers).toMatchObject({ authorization: `UserKey ${platform.adminKey}`, 'x-request-id': 'r1' });
    for (const name of ['cookie', 'origin', 'x-forwarded-for']) expect(headers).not.toHaveProperty(name);
    for (const [method, path] of [
      ['GET', '?limit=2'],
      ['POST', ''],
      ['PATCH', '/a-user'],
      ['DELETE', '/a-user'],
    ] as const) {
      expect((await send(method, `${USERS}${path}`, method === 'GET' ? {} : { body: { name: 'Ada' } })).status).toBe(
        200,
      );
      expect(received.at(-1)?.path).toBe(`/api/v1/users${path}`);
    }
  });

  it('are refused here without a valid key, so that strangers reach nothing', async () => {
    const before = received.length;
    expect((await send('GET', KEYS, { key: null as never })).status).toBe(401);
    expect((await send('GET', KEYS, { key: 'ak_wrong' })).status).toBe(401);
    expect(received).toHaveLength(before);
  });

  it.each([
    ['GET', '/console/platform/api/v1/auth/me', 404],
    ['GET', '/console/platform/api/v1/agents', 404],
    ['GET', `${KEYS}/..%2f..%2fagents`, 404],
    ['PUT', KEYS, 404],
    ['DELETE', `${KEYS}/%2e%2e`, 404],
    ['POST', `${KEYS}/%2e%2e/rotate`, 404],
    ['GET', `${USERS}/%2e%2e/agents`, 404],
    ['POST', `${USERS}/a-user`, 404],
    ['GET', '/console/platform/api/v1/usersx', 404],
  ])('exist for no other route: %s %s', async (method, path, status) => {
    const before = received.length;
    expect((await send(method, path)).status).toBe(status);
    expect(received).toHaveLength(before);
  });

  it('fail with a reason if the body is too large or the platform API does not answer as itself', async () => {
    const large = { name: 'k', description: 'x'.repeat(70_000) };
    expect((await send('POST', KEYS, { body: large })).status).toBe(413);
    const redirected = await send('DELETE', `${KEYS}/redirect`);
    expect([redirected.status, redirected.headers.get('x-error-code')]).toEqual([503, 'platform_api_unavailable']);
    const other = await platform.startControlPlane({ PLATFORM_API_URL: 'http://127.0.0.1:1' });
    const absent = await call('GET', `${other.url}${KEYS}`, { key: platform.adminKey, unchecked: true });
    expect([absent.status, absent.headers.get('x-error-code')]).toEqual([503, 'platform_api_unavailable']);
  });
});
