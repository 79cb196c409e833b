import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

describe('a request body that never ends', () => {
  let platform: Platform;
  const open: Socket[] = [];

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));
  afterAll(() => platform.stop());

  /** Returns the status line of the response to a request whose body is incomplete. */
  function firstLine(path: string, headers: Readonly<Record<string, string>>, method = 'POST'): Promise<string> {
    const { hostname, port } = new URL(platform.url);
    const body = gzipSync(Buffer.alloc(10 * 1_048_576));
    const all = {
      Host: hostname,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(body.subarray(0, -8));
    return new Promise((resolve, reject) => {
      socket.once('data', (bytes) => resolve(String(bytes.toString().split('\r\n')[0])));
      socket.once('error', reject);
    });
  }

  const gzip = { 'Content-Encoding': 'gzip' };

  it('is not awaited if the key is missing or invalid', async () => {
    const wrong = { Authorization: 'Bearer ak_wrong' };
    for (const path of ['/api/v1/analytics/batch', '/api/v1/executions/x/session', '/api/v1/executions/x/events']) {
      for (const headers of [{}, gzip, { ...gzip, ...wrong }]) {
        expect(await firstLine(path, headers)).toBe('HTTP/1.1 401 Unauthorized');
      }
    }
  });

  it('is not awaited if the key lacks the scope', async () => {
    const created = await call('POST', `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      key: platform.adminKey,
      scheme: 'UserKey',
      body: { name: 'reader', scopes: ['tasks:read'] },
    });
    const { key } = created.body as { key: string };
    const headers = { ...gzip, Authorization: `Bearer ${key}` };
    expect(await firstLine('/api/v1/analytics/batch', headers)).toBe('HTTP/1.1 403 Forbidden');
  });

  it('is not awaited if no job has the token of the webhook', async () => {
    for (const token of ['x', 'x'.repeat(40)]) {
      expect(await firstLine(`/api/v1/jobs/webhook/${token}`, gzip)).toBe('HTTP/1.1 404 Not Found');
    }
  });

  it('is not awaited by a public route that uses no body', async () => {
    expect(await firstLine('/api/health/live', gzip, 'GET')).toBe('HTTP/1.1 200 OK');
  });

  it('is not awaited if the route does not exist', async () => {
    expect(await firstLine('/api/v1/anything/session', gzip)).toBe('HTTP/1.1 404 Not Found');
  });
});
