import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { WebSocket } from 'ws';
import { call } from '../support/http.js';
import { series } from '../support/metrics.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const MIB = 1_048_576;

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

/** A worker that collects its commands. */
class CommandClient {
  readonly commands: Json[] = [];
  readonly opened: Promise<unknown>;
  readonly closed: Promise<number>;

  constructor(webSocket: WebSocket) {
    webSocket.on('message', (text: Buffer) => this.commands.push(JSON.parse(text.toString()) as Json));
    webSocket.on('error', () => undefined);
    this.opened = once(webSocket, 'open');
    this.closed = new Promise((resolve) => webSocket.once('close', resolve));
  }
}

describe('a WebSocket', () => {
  let platform: Platform;

  beforeAll(async () => {
    const env = { WEBSOCKET_CONNECTIONS: '3', STREAM_QUEUED_BYTES: String(16 * MIB) };
    platform = await Platform.start({ controlPlanes: 2, env });
  });

  afterAll(() => platform.stop());

  const address = (path: string, at = 0): string =>
    `${platform.controlPlanes[at]?.url.replace('http', 'ws') ?? ''}/api/v1/ws/${path}`;

  const open = (path: string, headers: Record<string, string>, at = 0): Client =>
    new Client(new WebSocket(address(`executions/${path}`, at), { headers }));

  const withKey = (key = platform.adminKey, scheme = 'Bearer'): Record<string, string> => ({
    Authorization: `${scheme} ${key}`,
  });

  /** Returns the status of the response to an opening handshake that is not accepted. */
  async function refusalOf(
    path: string,
    headers: Record<string, string>,
    of = 'executions',
  ): Promise<number | undefined> {
    const webSocket = new WebSocket(address(`${of}/${path}`), { headers });
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

  it('of an execution sends the frames of the stream as messages, in order and across processes, and resumes after an id', async () => {
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

  it('of an execution accepts a ticket of this execution, and requires a key otherwise', async () => {
    const [id, other] = [await newExecution(), await newExecution()];
    const { ticket } = await send('POST', `/executions/${id}/stream-ticket`);
    const client = open(`${id}?ticket=${String(ticket)}`, {});
    await client.waitFor('history_complete');
    expect(await refusalOf(`${other}?ticket=${String(ticket)}`, {})).toBe(401);
    expect(await refusalOf(id, {})).toBe(401);
    expect(await refusalOf(`${id}?key=${platform.adminKey}`, {})).toBe(401);
    await closeAll(client);
  });

  it('of an execution does not exist for other organizations, and needs the scope', async () => {
    const id = await newExecution();
    const stranger = (await platform.createOrganization('strangers-of-websockets')).adminKey;
    expect(await refusalOf(id, withKey(stranger))).toBe(404);
    expect(await refusalOf('none', withKey())).toBe(404);
    expect(await send('GET', '/ws/stats', undefined, stranger)).toEqual({
      connections: 0,
      max_connections: 3,
      queued_bytes: 0,
    });
    const request = await call('GET', `${platform.url}/api/v1/ws/executions/${id}`, { key: platform.adminKey });
    expect(request).toMatchObject({ status: 426, body: { detail: expect.any(String) } });
    const elsewhere = new WebSocket(`${platform.url.replace('http', 'ws')}/api/v1/jobs`, { headers: withKey() });
    elsewhere.on('error', () => undefined);
    const [, response] = (await once(elsewhere, 'unexpected-response')) as [unknown, IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  it('is refused when the organization has the maximum number', async () => {
    const id = await newExecution();
    const clients = [1, 2, 3].map(() => open(id, withKey()));
    await Promise.all(clients.map((client) => client.waitFor('history_complete')));
    expect(await send('GET', '/ws/stats')).toMatchObject({ connections: 3 });
    expect(await refusalOf(id, withKey())).toBe(429);
    const stranger = (await platform.createOrganization('neighbors-of-websockets')).adminKey;
    const neighbor = open(await newExecution(stranger), withKey(stranger));
    await neighbor.waitFor('history_complete');
    neighbor.webSocket.terminate();
    await closeAll(...clients);
  });

  it('closes when its key is revoked', async () => {
    const { id: organization, adminKey } = await platform.createOrganization('revoked-websockets');
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

  it('is closed if its client does not read, without a delay for the others', async () => {
    const id = await newExecution();
    const [slow, other] = [open(id, withKey()), open(id, withKey())];
    await Promise.all([slow.waitFor('history_complete'), other.waitFor('history_complete')]);
    // Once the second of these events has arrived, both clients receive events as they are published, not pages of the
    // log.
    for (const sent of [1, 2]) {
      await publish(id, 'message_chunk', { content: 'x' });
      await eventually(() => expect([slow.messages.length, other.messages.length]).toEqual([2 + sent, 2 + sent]));
    }
    slow.webSocket.pause();
    const content = 'x'.repeat(512 * 1024);
    let expected = 4;
    await eventually(async () => {
      await publish(id, 'message_chunk', { content });
      expected += 1;
      await eventually(() => expect(other.messages).toHaveLength(expected));
      const text = String((await call('GET', `${platform.url}/metrics`)).body);
      // A client that was reading the log at that moment, because events arrived late, is disconnected as stalled.
      const tooSlow = series(text, 'platform_stream_readers_dropped_total', { reason: 'too_slow' }) ?? 0;
      const stalled = series(text, 'platform_stream_readers_stalled_total', {}) ?? 0;
      expect(tooSlow + stalled).toBe(1);
    });
    slow.webSocket.resume();
    await slow.closed;
    await closeAll(other);
  });

  it('is refused while the streams of the organization hold too many bytes, without a delay for others', async () => {
    const stranger = (await platform.createOrganization('readers-of-websockets')).adminKey;
    const content = 'x'.repeat(9 * MIB);
    const [id, other] = [await newExecution(), await newExecution(stranger)];
    const store = (of: string, key?: string): Promise<Json> =>
      send('POST', `/executions/${of}/session`, { session_id: of, messages: [{ role: 'user', content }] }, key);
    await Promise.all([store(id), store(other, stranger)]);
    const unread = open(id, withKey());
    unread.webSocket.once('open', () => unread.webSocket.pause());
    await eventually(async () => expect(Number((await send('GET', '/ws/stats'))['queued_bytes'])).toBeGreaterThan(MIB));
    const refusal = refusalOf(id, withKey());
    const stream = call('GET', `${platform.url}/api/v1/executions/${id}/stream`, { key: platform.adminKey });
    const neighbor = open(other, withKey(stranger));
    await neighbor.waitFor('history_complete');
    expect(await refusal).toBe(503);
    expect(await stream).toMatchObject({ status: 503, body: { detail: expect.stringContaining(String(16 * MIB)) } });
    const text = String((await call('GET', `${platform.url}/metrics`)).body);
    expect(series(text, 'platform_stream_queued_bytes', {})).toBeLessThanOrEqual(16 * MIB);
    unread.webSocket.resume();
    await unread.waitFor('history_complete');
    expect(unread.messages[1]?.data['content']).toBe(content);
    neighbor.webSocket.terminate();
    await closeAll(unread);
  });

  const openWorker = (id: string, at: number): CommandClient =>
    new CommandClient(new WebSocket(address(`workers/${id}`, at), { headers: withKey() }));

  async function newWorker(name: string): Promise<{ readonly id: string; readonly queueId: string }> {
    const queueId = String((await send('POST', '/environments/default/worker-queues', { name }))['id']);
    const { worker_id } = await send('POST', `/worker-queues/${queueId}/start`, {});
    return { id: String(worker_id), queueId };
  }

  /** Returns an execution that the worker has leased and set to running. */
  async function newRun(worker: { readonly id: string; readonly queueId: string }): Promise<string> {
    const { id: agentId } = await send('POST', '/agents', { name: 'commanded' });
    const body = { prompt: 'Run', worker_queue_id: worker.queueId };
    await send('POST', `/agents/${String(agentId)}/execute`, body);
    const leases = await send('POST', `/workers/${worker.id}/poll`, { max: 1, wait_seconds: 20 });
    const [lease] = leases as unknown as { lease_token: string; execution: { id: string } }[];
    const { lease_token, execution } = lease ?? { lease_token: '', execution: { id: '' } };
    const headers = { 'X-Lease-Token': lease_token };
    const url = `${platform.url}/api/v1/executions/${execution.id}`;
    const running = await call('PATCH', url, { key: platform.adminKey, body: { status: 'running' }, headers });
    expect(running.status).toBe(200);
    return execution.id;
  }

  it('of a worker sends the commands of any process once each, and pending ones to a further connection', async () => {
    const worker = await newWorker('commanded');
    const execution_id = await newRun(worker);
    const first = openWorker(worker.id, 1);
    await first.opened;
    for (const command of ['pause', 'resume', 'pause']) {
      const received = first.commands.length;
      await send('POST', `/executions/${execution_id}/${command}`);
      await eventually(() => expect(first.commands).toHaveLength(received + 1));
      expect(first.commands.at(-1)).toEqual({ command, execution_id });
    }
    const second = openWorker(worker.id, 0);
    await eventually(() => expect(second.commands).toEqual([{ command: 'pause', execution_id }]));
    await send('POST', `/executions/${execution_id}/resume`);
    await eventually(() => {
      for (const { commands } of [first, second]) expect(commands.at(-1)).toEqual({ command: 'resume', execution_id });
    });

    await send('PATCH', `/worker-queues/${worker.queueId}`, { heartbeat_interval: 30 });
    const reload = { command: 'reload', execution_id: null };
    await eventually(() => {
      expect(first.commands.slice(4)).toEqual([reload]);
      expect(second.commands.slice(2)).toEqual([reload]);
    });
    await send('POST', `/executions/${execution_id}/cancel`);
    const cancel = { command: 'cancel', execution_id };
    await eventually(() => {
      expect(first.commands.slice(5)).toEqual([cancel]);
      expect(second.commands.slice(3)).toEqual([cancel]);
    });
    await send('POST', `/workers/${worker.id}/disconnect`, {});
    expect(await Promise.all([first.closed, second.closed])).toEqual([1000, 1000]);
    expect(await refusalOf(worker.id, withKey(), 'workers')).toBe(409);
    await closeAll();
  });

  it('of a worker asks to connect again when its process stops', async () => {
    const stopping = await platform.startControlPlane();
    const { id } = await newWorker('reconnecting');
    const worker = openWorker(id, platform.controlPlanes.length - 1);
    await worker.opened;
    expect(await stopping.process.kill('SIGTERM')).toBe(0);
    expect(await worker.closed).toBe(1012);
  });

  it('of a worker does not exist for other organizations, and needs the scope', async () => {
    const { id } = await newWorker('private');
    const stranger = (await platform.createOrganization('strangers-of-workers')).adminKey;
    expect(await refusalOf(id, withKey(stranger), 'workers')).toBe(404);
    expect(await refusalOf('018f4e9a-0000-7000-8000-000000000000', withKey(), 'workers')).toBe(404);
    expect(await refusalOf('no-uuid', withKey(), 'workers')).toBe(422);
    expect(await refusalOf(id, {}, 'workers')).toBe(401);
    const request = await call('GET', `${platform.url}/api/v1/ws/workers/${id}`, { key: platform.adminKey });
    expect(request.status).toBe(426);
  });

  it('checks the health of the process, and is not available to clients', async () => {
    const { body } = await call('GET', `${platform.url}/api/health/event-bus`);
    expect(body).toMatchObject({ providers: { websocket: { enabled: true, healthy: true, status: 'healthy' } } });
    expect((await call('GET', `${platform.url}/api/health/web-socket/guess`)).status).toBe(404);
  });
});
