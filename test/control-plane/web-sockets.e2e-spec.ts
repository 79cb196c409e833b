import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { WebSocket } from 'ws';
import { call } from '../support/http.js';
import { series } from '../support/metrics.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

interface Message {
  readonly id: string | null;
  readonly event: string;
  readonly data: Json;
}

/** A client that collects the messages of an execution. */
class Client {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;

  constructor(readonly webSocket: WebSocket) {
    webSocket.on('message', (text: Buffer) => this.messages.push(JSON.parse(text.toString()) as Message));
    webSocket.on('error', () => undefined);
    this.closed = new Promise((resolve) => webSocket.once('close', resolve));
  }

  async waitFor(event: string): Promise<void> {
    await eventually(() => expect(this.messages.map((message) => message.event)).toContain(event));
  }

  get events(): string[] {
    return this.messages.map(({ event }) => event);
  }
}

describe('the WebSocket of an execution', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ controlPlanes: 2, env: { WEBSOCKET_CONNECTIONS: '3' } });
  });

  afterAll(() => platform.stop());

  const address = (path: string, at = 0): string =>
    `${platform.controlPlanes[at]?.url.replace('http', 'ws') ?? ''}/api/v1/ws/executions/${path}`;

  const open = (path: string, headers: Record<string, string>, at = 0): Client =>
    new Client(new WebSocket(address(path, at), { headers }));

  const withKey = (key = platform.adminKey, scheme = 'Bearer'): Record<string, string> => ({
    Authorization: `${scheme} ${key}`,
  });

  /** Returns the status of the response to an opening handshake that is not accepted. */
  async function refusalOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
    const webSocket = new WebSocket(address(path), { headers });
    webSocket.on('error', () => undefined);
    const [, response] = (await once(webSocket, 'unexpected-response')) as [unknown, IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  const send = async (method: string, path: string, body?: object, key = platform.adminKey): Promise<Json> =>
    (await call(method, `${platform.url}/api/v1${path}`, { key, body })).body as Json;

  const newExecution = async (key = platform.adminKey): Promise<string> =>
    String((await send('POST', '/executions/create', { prompt: 'Watch' }, key))['execution_id']);

  const publish = (id: string, event_type: string, data: object = {}): Promise<Json> =>
    send('POST', `/executions/${id}/events`, { event_type, data });

  async function closeAll(...clients: readonly Client[]): Promise<void> {
    for (const { webSocket } of clients) webSocket.terminate();
    await eventually(async () => expect(await send('GET', '/ws/stats')).toMatchObject({ connections: 0 }));
  }

  it('sends the frames of the stream as messages, in order and across processes, and resumes after an id', async () => {
    const id = await newExecution();
    const first = open(id, withKey(), 1);
    await first.waitFor('history_complete');
    for (const n of [1, 2, 3]) await publish(id, 'message_chunk', { n });
    await eventually(() => expect(first.messages).toHaveLength(5));
    expect(first.events).toEqual(['connected', 'history_complete', ...Array<string>(3).fill('message_chunk')]);
    const chunks = first.messages.slice(2);
    expect(chunks.map(({ data }) => data)).toEqual(
      [1, 2, 3].map((n) => ({ data: { n }, timestamp: expect.any(String) })),
    );
    expect(chunks.map((chunk) => Number(/_(\d+)_\d+$/.exec(chunk.id ?? '')?.[1]))).toEqual([1, 2, 3]);
    expect(first.messages[0]?.id).toBeNull();

    const resumed = open(id, { ...withKey(undefined, 'UserKey'), 'Last-Event-ID': chunks[0]?.id ?? '' });
    await eventually(() => expect(resumed.messages).toHaveLength(4));
    expect(resumed.messages.slice(2)).toEqual(chunks.slice(1));
    const lost = open(`${id}?last_event_id=none`, withKey());
    await lost.waitFor('message_chunk');
    expect(lost.events.slice(0, 3)).toEqual(['connected', 'history_complete', 'gap_detected']);

    await send('PATCH', `/executions/${id}`, { status: 'running' });
    await send('PATCH', `/executions/${id}`, { status: 'completed', response: 'Done' });
    expect(await Promise.all([first.closed, resumed.closed])).toEqual([1000, 1000]);
    expect(first.messages.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed', response: 'Done' } });
    await closeAll(lost);
  });

  it('is open to a ticket of this execution, and to nothing else without a key', async () => {
    const [id, other] = [await newExecution(), await newExecution()];
    const { ticket } = await send('POST', `/executions/${id}/stream-ticket`);
    const client = open(`${id}?ticket=${String(ticket)}`, {});
    await client.waitFor('history_complete');
    expect(await refusalOf(`${other}?ticket=${String(ticket)}`, {})).toBe(401);
    expect(await refusalOf(id, {})).toBe(401);
    expect(await refusalOf(`${id}?key=${platform.adminKey}`, {})).toBe(401);
    await closeAll(client);
  });

  it('does not exist for other organizations, and needs the scope', async () => {
    const id = await newExecution();
    const stranger = platform.createOrganization('strangers-of-websockets').adminKey;
    expect(await refusalOf(id, withKey(stranger))).toBe(404);
    expect(await refusalOf('none', withKey())).toBe(404);
    expect(await send('GET', '/ws/stats', undefined, stranger)).toEqual({
      ...{ connections: 0, max_connections: 3, queued_bytes: 0 },
    });
    const request = await call('GET', `${platform.url}/api/v1/ws/executions/${id}`, { key: platform.adminKey });
    expect(request).toMatchObject({ status: 426, body: { detail: expect.any(String) } });
    const elsewhere = new WebSocket(`${platform.url.replace('http', 'ws')}/api/v1/jobs`, { headers: withKey() });
    elsewhere.on('error', () => undefined);
    const [, response] = (await once(elsewhere, 'unexpected-response')) as [unknown, IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  it('are limited in number for an organization', async () => {
    const id = await newExecution();
    const clients = [1, 2, 3].map(() => open(id, withKey()));
    await Promise.all(clients.map((client) => client.waitFor('history_complete')));
    expect(await send('GET', '/ws/stats')).toMatchObject({ connections: 3 });
    expect(await refusalOf(id, withKey())).toBe(429);
    const stranger = platform.createOrganization('neighbors-of-websockets').adminKey;
    const neighbor = open(await newExecution(stranger), withKey(stranger));
    await neighbor.waitFor('history_complete');
    neighbor.webSocket.terminate();
    await closeAll(...clients);
  });

  it('closes when its key is revoked', async () => {
    const { id: organization, adminKey } = platform.createOrganization('revoked-websockets');
    const id = await newExecution(adminKey);
    const client = open(id, withKey(adminKey));
    await client.waitFor('history_complete');
    await platform.sql('UPDATE api_keys SET revoked_at = now() WHERE organization_id = $1', [organization]);
    expect(await client.closed).toBe(1008);
  });

  it('closes for messages of a client that are too large or too many', async () => {
    const id = await newExecution();
    const [large, many] = [open(id, withKey()), open(id, withKey())];
    await Promise.all([large.waitFor('history_complete'), many.waitFor('history_complete')]);
    large.webSocket.send('x'.repeat(20_000));
    for (let sent = 0; sent < 200; sent += 1) many.webSocket.send('x');
    expect(await large.closed).toBe(1009);
    expect(await many.closed).toBe(1008);
    await closeAll();
  });

  it('cuts off a client that does not read, without a delay for the others', async () => {
    const id = await newExecution();
    const [slow, other] = [open(id, withKey()), open(id, withKey())];
    await Promise.all([slow.waitFor('history_complete'), other.waitFor('history_complete')]);
    slow.webSocket.pause();
    const content = 'x'.repeat(512 * 1024);
    for (let sent = 0; sent < 50; sent += 1) await publish(id, 'message_chunk', { content });
    await eventually(async () => {
      const text = String((await call('GET', `${platform.url}/metrics`)).body);
      expect(series(text, 'platform_stream_readers_dropped_total', { reason: 'too_slow' })).toBe(1);
      expect(other.messages).toHaveLength(52);
    });
    slow.webSocket.resume();
    await slow.closed;
    await closeAll(other);
  });
});
