import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call, type CallOptions, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

describe('stream tickets', () => {
  let platform: Platform;
  let executionId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startControlPlane();
    executionId = await newExecution();
  });
  afterAll(() => platform.stop());

  const send = (method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, ...options });

  async function newExecution(): Promise<string> {
    const created = await send('POST', '/executions/create', { body: { prompt: 'hello' } });
    return (created.body as { execution_id: string }).execution_id;
  }

  async function newTicket(key = platform.adminKey): Promise<string> {
    const response = await send('POST', `/executions/${executionId}/stream-ticket`, { key });
    expect(response).toMatchObject({ status: 200, body: { expires_at: expect.stringMatching(/Z$/) } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    return (response.body as { ticket: string }).ticket;
  }

  async function mintKey(scopes: readonly string[]): Promise<{ id: string; key: string }> {
    const url = `${platform.platformApi?.url}/api/v1/auth/keys`;
    const body = { name: 'browser', scopes };
    const response = await call('POST', url, { key: platform.adminKey, scheme: 'UserKey', body });
    return response.body as { id: string; key: string };
  }

  /** Opens a stream without a key, and closes it after its first bytes. */
  async function open(ticket: string, id = executionId, headers = {}): Promise<{ status: number; text: string }> {
    const closing = new AbortController();
    const app = platform.controlPlanes[1]?.url ?? '';
    const url = `${app}/api/v1/executions/${id}/stream?ticket=${ticket}`;
    const response = await fetch(url, { headers, signal: closing.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    closing.abort();
    return { status: response.status, text: new TextDecoder().decode(value) };
  }

  it('open the stream of their execution without a key, again and again, in every process', async () => {
    const ticket = await newTicket();
    for (const _ of [1, 2]) {
      expect(await open(ticket)).toEqual({ status: 200, text: expect.stringContaining('event: connected') });
    }
  });

  it.each([
    ['for the stream of another execution', async () => open(await newTicket(), await newExecution())],
    ['if they were never issued', async () => open('x'.repeat(43))],
  ])('are refused %s', async (_which, attempt) => {
    expect(await attempt()).toEqual({ status: 401, text: expect.stringContaining('request a new one') });
  });

  it('open no other route, and do not replace an invalid key that is sent with them', async () => {
    const ticket = await newTicket();
    const read = await call('GET', `${platform.url}/api/v1/executions/${executionId}?ticket=${ticket}`);
    expect([read.status, read.headers.get('x-error-code')]).toEqual([401, 'key_missing']);
    expect((await open(ticket, executionId, { Authorization: 'Bearer ak_wrong' })).status).toBe(401);
  });

  it('require the scope for reading, and become invalid with the key that created them', async () => {
    const other = await mintKey(['agents:read']);
    const refused = await send('POST', `/executions/${executionId}/stream-ticket`, { key: other.key });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'insufficient_scope']);

    const { id, key } = await mintKey(['tasks:read']);
    const ticket = await newTicket(key);
    expect((await open(ticket)).status).toBe(200);
    const keys = `${platform.platformApi?.url}/api/v1/auth/keys`;
    await call('DELETE', `${keys}/${id}`, { key: platform.adminKey, scheme: 'UserKey' });
    await eventually(async () => expect((await open(ticket)).status).toBe(401));
  });

  it('are no longer looked up after too many unknown ones, except tickets that were found before', async () => {
    const known = await newTicket();
    expect((await open(known)).status).toBe(200);
    const statuses = new Set<number>();
    let count = 0;
    // The limit admits ten more per second, so a slow machine needs more of them to exceed it.
    await eventually(async () => {
      const made = await Promise.all(Array.from({ length: 150 }, () => open(`made-up-${(count += 1)}`)));
      for (const { status } of made) statuses.add(status);
      expect(statuses).toEqual(new Set([401, 429]));
    });
    expect((await open(known)).status).toBe(200);
  });

  it('are refused for an execution that does not exist', async () => {
    expect((await send('POST', '/executions/none/stream-ticket')).status).toBe(404);
  });
});
