import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { series } from '../support/metrics.js';
import { Platform } from '../support/platform.js';

/** The maximum size of a file, which exceeds the buffers of the system for a client that does not read. */
const CONTENT = new Uint8Array(10 * 1_048_576);
/** One organization may receive as many bytes as three files at once. */
const SLOW_CLIENTS = 3;

describe('downloads of files', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterAll(() => platform.stop());

  const request = (method: string, path: string, key: string, raw?: Uint8Array): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/executions${path}`, {
      key,
      headers: { 'Content-Type': raw === undefined ? 'application/json' : 'application/octet-stream' },
      ...(raw === undefined
        ? { body: method === 'POST' ? { execution_type: 'agent', prompt: 'x' } : undefined }
        : { raw }),
    });

  /** Returns the path of a large file of a new execution. */
  async function newFile(key: string): Promise<string> {
    const { body } = await request('POST', '/create', key);
    const path = `/${(body as { execution_id: string }).execution_id}/files/large.bin`;
    expect((await request('PUT', path, key, CONTENT)).status).toBe(200);
    return path;
  }

  /** Requests a file, and reads only the beginning of the response. */
  async function downloadSlowly(path: string, key: string, url = platform.url): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = [`GET /api/v1/executions${path} HTTP/1.1`, 'Host: platform', `Authorization: Bearer ${key}`];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [begin] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    expect(begin.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  }

  it('are limited per organization while clients read slowly, and possible again after these clients have disconnected', async () => {
    const other = (await platform.createOrganization('with-files')).adminKey;
    const [own, foreign] = [await newFile(platform.adminKey), await newFile(other)];
    const slow: Socket[] = [];
    for (let n = 0; n < SLOW_CLIENTS; n += 1) slow.push(await downloadSlowly(own, platform.adminKey));
    const refused = await request('GET', own, platform.adminKey);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'server_busy']);
    expect((await request('GET', foreign, other)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await eventually(async () => expect((await request('GET', own, platform.adminKey)).status).toBe(200));
  });

  it('end when the client stops reading, even if it continues to send, and are then possible again', async () => {
    const patient = await platform.startControlPlane({ RESPONSE_STALL_SECONDS: '1' });
    const path = await newFile(platform.adminKey);
    const slow: Socket[] = [];
    for (let n = 0; n < SLOW_CLIENTS; n += 1) slow.push(await downloadSlowly(path, platform.adminKey, patient.url));
    for (const socket of slow) socket.on('error', () => undefined).write('GET /');
    const url = `${patient.url}/api/v1/executions${path}`;
    await eventually(async () => {
      // Bytes of a further request, which the server would read after the response.
      for (const socket of slow) if (socket.writable) socket.write('a');
      expect((await call('GET', url, { key: platform.adminKey })).status).toBe(200);
      const { body } = await call('GET', `${patient.url}/metrics`);
      // The count is higher if the download above was too slow as well.
      expect(series(String(body), 'platform_responses_stalled_total', {})).toBeGreaterThanOrEqual(SLOW_CLIENTS);
    });
    for (const socket of slow) socket.destroy();
  });
});
