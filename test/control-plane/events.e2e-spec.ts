import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countersOf, countTo, eventually, StreamClient } from '@app/testing';
import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import { Platform, type RunningApp } from '../support/platform.js';

describe('events over HTTP', () => {
  let platform: Platform;
  let executionId: string;
  let clients: StreamClient[] = [];

  beforeAll(async () => {
    platform = await Platform.shared();
    await platform.startControlPlane();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    const created = await send('POST', '/executions/create', { body: { prompt: 'hello' } });
    executionId = (created.body as { execution_id: string }).execution_id;
  });
  afterEach(() => {
    for (const client of clients) client.leave();
    clients = [];
  });

  const send = (method: string, path: string, options: CallOptions = {}, app = 0): Promise<HttpResponse> =>
    call(method, `${controlPlane(app).url}/api/v1${path}`, { key: platform.adminKey, ...options });
  const publish = (body: unknown, options: CallOptions = {}, app = 0): Promise<HttpResponse> =>
    send('POST', `/executions/${executionId}/events`, { body, ...options }, app);
  const controlPlane = (n: number): RunningApp => {
    const app = platform.controlPlanes[n];
    if (app === undefined) throw new Error(`No control plane ${n}`);
    return app;
  };
  const follow = async (app = 0, lastEventId?: string, query = ''): Promise<StreamClient> => {
    const url = `${controlPlane(app).url}/api/v1/executions/${executionId}/stream${query}`;
    const client = await StreamClient.open(url, lastEventId, platform.adminKey);
    clients.push(client);
    return client;
  };

  it('return the event id of a publish, whose counter increases by one', async () => {
    const data = { role: 'assistant', content: 'Hi\n\ndata: {}' };
    const first = await publish({ event_type: 'message_chunk', data, timestamp: 'then' });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      success: true,
      event_id: expect.stringMatching(new RegExp(`^${executionId}_1_\\d{16}$`)),
      execution_id: executionId,
      event_type: 'message_chunk',
    });
    const second = await publish({ event_type: 'of my own', data: null, timestamp: '', unknown: 1 }, {}, 1);
    expect(second.body).toMatchObject({ event_id: expect.stringContaining(`${executionId}_2_`) });
    const client = await follow(1);
    await eventually(() => expect(client.events).toHaveLength(2));
    expect(client.events.map(({ type, data: sent }) => [type, sent])).toEqual([
      ['message_chunk', { data, timestamp: 'then' }],
      ['of my own', { data: {}, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) }],
    ]);
  });

  it.each([
    [{}, 'missing'],
    [{ event_type: '' }, 'string_too_short'],
    [{ event_type: 'x'.repeat(101) }, 'string_too_long'],
    [{ event_type: 7 }, 'string_type'],
    [{ event_type: 'a\nid: forged' }, 'string_pattern_mismatch'],
    [{ event_type: 'a\rdata: forged' }, 'string_pattern_mismatch'],
    [{ event_type: 'x', data: [] }, 'dict_type'],
    [{ event_type: 'x', timestamp: 7 }, 'string_type'],
  ])('reject %j as %s and store nothing', async (body, type) => {
    const answer = await publish(body);
    expect(answer.status).toBe(422);
    expect((answer.body as { detail: { type: string }[] }).detail.map((fault) => fault.type)).toEqual([type]);
    const next = await publish({ event_type: 'x' });
    expect(next.body).toMatchObject({ event_id: expect.stringContaining('_1_') });
  });

  it('are published once per Idempotency-Key, and the final event is published with any key', async () => {
    const headers = { 'Idempotency-Key': 'ended' };
    const first = await publish({ event_type: 'x', data: { n: 1 } }, { headers });
    const again = await publish({ event_type: 'x', data: { n: 1 } }, { headers }, 1);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect([first, again].map((answer) => answer.headers.get('Idempotent-Replayed'))).toEqual([null, 'true']);
    expect(await publish({ event_type: 'x', data: { n: 2 } }, { headers })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['header', 'Idempotency-Key'], type: 'value_error' }] },
    });
    expect(
      (await publish({ event_type: 'x' }, { headers: { 'Idempotency-Key': 'k'.repeat(256) } })).body,
    ).toMatchObject({
      detail: [{ loc: ['header', 'Idempotency-Key'], type: 'string_too_long' }],
    });
    const client = await follow();
    await send('PATCH', `/executions/${executionId}`, { body: { status: 'running' } });
    await send('PATCH', `/executions/${executionId}`, { body: { status: 'completed' } });
    await eventually(() => expect(client.events.at(-1)?.type).toBe('done'));
    expect(client.events.map(({ type }) => type)).toEqual(['x', 'status', 'status', 'done']);
  });

  it('return 404 for an unknown execution, for publishing and streaming', async () => {
    for (const [method, path] of [
      ['POST', 'events'],
      ['GET', 'stream'],
    ] as const) {
      const options = method === 'POST' ? { body: { event_type: 'x' } } : {};
      const answer = await send(method, `/executions/nowhere/${path}`, options);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Execution not found' }]);
    }
  });

  it('return 409 for a stale lease token and store nothing', async () => {
    const rejected = await publish({ event_type: 'x' }, { headers: { 'X-Lease-Token': 'not mine' } });
    expect([rejected.status, rejected.body]).toEqual([409, { detail: expect.any(String) }]);
    expect((await publish({ event_type: 'x' })).body).toMatchObject({ event_id: expect.stringContaining('_1_') });
  });

  it('resume after the last event id, and prefer the header over the query', async () => {
    const ids: string[] = [];
    for (const n of countTo(3)) {
      ids.push(((await publish({ event_type: 'x', data: { n } })).body as { event_id: string }).event_id);
    }
    const byQuery = await follow(1, undefined, `?last_event_id=${ids[0]}`);
    await eventually(() => expect(countersOf(byQuery.events)).toEqual([2, 3]));
    const byHeader = await follow(1, ids[1], `?last_event_id=${ids[0]}`);
    await eventually(() => expect(countersOf(byHeader.events)).toEqual([3]));
  });

  it('stream until the execution is final, then send `done`; later readers get the same events', async () => {
    const client = await follow(0);
    await eventually(() => expect(client.types).toContain('history_complete'));
    await send('PATCH', `/executions/${executionId}`, { body: { status: 'running' } }, 1);
    await publish({ event_type: 'message_chunk', data: { content: 'a' } }, {}, 1);
    await send('PATCH', `/executions/${executionId}`, { body: { status: 'completed', response: 'a' } }, 1);
    await eventually(() => expect(client.ended).toBe('closed'));
    expect(client.types[0]).toBe('connected');
    expect(client.types.filter((type) => type === 'done')).toHaveLength(1);
    expect(client.frames.at(-1)).toMatchObject({
      type: 'done',
      data: { execution_id: executionId, status: 'completed', timestamp: expect.any(String) },
    });
    const later = await follow(1);
    await eventually(() => expect(later.ended).toBe('closed'));
    expect(later.frames.at(-1)).toMatchObject({ type: 'done' });
    expect(later.events).toEqual(client.events);
  });

  it('reach a reader once and in order, despite random reconnects and a killed control plane', async () => {
    const total = 600;
    const seen: number[] = [];
    let lastEventId: string | undefined;
    const acknowledged: number[] = [];
    const publishing = (async () => {
      for (let n = 0; n < total; n += 20) {
        if (n === total / 2) await controlPlane(1).process.restart();
        const responses = await Promise.all(countTo(20).map((i) => publish({ event_type: 'x' }, {}, i % 2)));
        acknowledged.push(...responses.map((response) => response.status));
      }
    })();
    while (seen.length < total) {
      const client = await follow(seen.length % 2, lastEventId).catch(() => undefined);
      if (client === undefined) continue;
      const enough = Math.min(total - seen.length, 1 + Math.floor(Math.random() * 100));
      await eventually(() => expect(client.events.length >= enough || client.ended !== null).toBe(true));
      client.leave();
      const got = client.events.slice(0, enough);
      seen.push(...countersOf(got));
      lastEventId = got.at(-1)?.id ?? lastEventId;
    }
    await publishing;
    expect(acknowledged).toEqual(Array.from({ length: total }, () => 200));
    expect(seen).toEqual(countTo(total));
  });

  it('respond to HEAD of a stream without keeping the connection open', async () => {
    const url = `${platform.url}/api/v1/executions/${executionId}/stream`;
    const request = httpRequest(url, { method: 'HEAD', headers: { Authorization: `Bearer ${platform.adminKey}` } });
    request.end();
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    response.resume();
    await once(response, 'end');
  });

  it('report the health of their bus without a key', async () => {
    const answer = await call('GET', `${platform.url}/api/health/event-bus`);
    expect(answer.status).toBe(200);
    const off = { enabled: false, healthy: null, status: 'disabled', latency_ms: null };
    const on = { enabled: true, healthy: true, status: 'healthy', latency_ms: expect.any(Number) };
    expect(answer.body).toEqual({
      status: 'healthy',
      providers: {
        redis: on,
        http: on,
        websocket: on,
        nats: off,
      },
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  it('end cleanly when the control plane stops, and do not delay its shutdown', async () => {
    const stopped = await platform.startControlPlane();
    const url = `${stopped.url}/api/v1/executions/${executionId}/stream`;
    const client = await StreamClient.open(url, undefined, platform.adminKey);
    await eventually(() => expect(client.types).toContain('history_complete'));
    expect(await stopped.process.kill('SIGTERM')).toBe(0);
    await eventually(() => expect(client.ended).toBe('closed'));
  });
});
