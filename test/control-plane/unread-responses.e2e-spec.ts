import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { series } from '../support/metrics.js';
import { Platform } from '../support/platform.js';

const MIB = 1_048_576;
const LIMIT = 32 * MIB;
/** More than the system buffers for a connection whose client does not read. */
const CONTENT = 'x'.repeat(9 * MIB);

describe('responses that their clients do not read', () => {
  let platform: Platform;
  let neighbor: string;
  const open: Socket[] = [];

  beforeAll(async () => {
    platform = await Platform.start({ env: { RESPONSE_QUEUED_BYTES: String(LIMIT) } });
    neighbor = (await platform.createOrganization('neighbors-of-unread-responses')).adminKey;
  });
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));
  afterAll(() => platform.stop());

  const request = (method: string, path: string, key: string, body?: object): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/executions${path}`, { key, body });

  /** Returns the path of a session with one large message. */
  async function newSession(key: string): Promise<string> {
    const created = await request('POST', '/create', key, { prompt: 'x' });
    const { execution_id: id } = created.body as { readonly execution_id: string };
    const body = { session_id: id, messages: [{ role: 'user', content: CONTENT }] };
    expect((await request('POST', `/${id}/session`, key, body)).status).toBe(200);
    return `/${id}/session`;
  }

  /** Requests a session and reads nothing of the response. */
  async function leaveUnread(path: string): Promise<void> {
    const { hostname, port } = new URL(platform.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    const head = ['Host: platform', `Authorization: Bearer ${platform.adminKey}`].join('\r\n');
    socket.write(`GET /api/v1/executions${path} HTTP/1.1\r\n${head}\r\n\r\n`);
  }

  async function queuedBytes(): Promise<number> {
    const text = String((await call('GET', `${platform.url}/metrics`)).body);
    return series(text, 'platform_response_queued_bytes', {}) ?? NaN;
  }

  it('occupy a bounded number of bytes, and do not affect other organizations', async () => {
    const [path, other] = [await newSession(platform.adminKey), await newSession(neighbor)];
    for (let n = 0; n < 8; n += 1) await leaveUnread(path);
    const refusal = await eventually(async () => {
      const response = await request('GET', path, platform.adminKey);
      expect(response.status).toBe(503);
      return response;
    });
    expect(refusal.headers.get('x-error-code')).toBe('server_busy');
    expect(refusal.headers.get('retry-after')).toBe('1');
    expect(refusal.body).toMatchObject({ detail: expect.stringContaining(`at most ${LIMIT} unread bytes`) });
    await eventually(async () => {
      expect(await queuedBytes()).toBeGreaterThan(LIMIT - 10 * MIB);
      expect(await queuedBytes()).toBeLessThanOrEqual(LIMIT);
    });
    const read = await request('GET', other, neighbor);
    expect(read).toMatchObject({ status: 200, body: { messages: [{ content: CONTENT }] } });
    // Small responses, and those to writes.
    expect((await request('GET', '', platform.adminKey)).status).toBe(200);
    await newSession(platform.adminKey);
    open.splice(0).forEach((socket) => socket.destroy());
    await eventually(async () => expect((await request('GET', path, platform.adminKey)).status).toBe(200));
    await eventually(async () => expect(await queuedBytes()).toBe(0));
  });
});
