import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('conversations of executions over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  const json = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await send(method, path, body)).body as Json;

  const create = async (): Promise<string> => (await json('POST', '/executions/create', {}))['execution_id'] as string;

  it('contain the stored messages and those sent to the execution', async () => {
    const id = await create();
    expect((await send('GET', `/executions/${id}/session`)).status).toBe(404);
    const messages = [{ role: 'user', content: 'hello', extra: { z: 1, a: 2 } }];
    const saved = await send('POST', `/executions/${id}/session`, { session_id: 's', messages });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({
      execution_id: id,
      session_id: 's',
      user_id: (await json('GET', `/executions/${id}`))['user_id'],
      message_count: 1,
      metadata: {},
    });
    const sent = await send('POST', `/executions/${id}/message`, { message: 'More' });
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        execution_id: id,
        message_id: expect.any(String),
        role: 'user',
        content: 'More',
        timestamp: expect.any(String),
      },
    ]);
    const listed = await send('GET', `/executions/${id}/messages`);
    expect(listed.headers.get('X-Total-Count')).toBe('2');
    const [first, second] = listed.body as Json[];
    expect(JSON.stringify(first)).toBe(JSON.stringify(messages[0]));
    expect(second).toMatchObject({ role: 'user', content: 'More' });
    expect(await json('GET', `/executions/${id}`)).toMatchObject({ last_message_preview: 'More' });
  });

  it('have the stored messages unchanged on every route, as the document describes them', async () => {
    const agent = await json('POST', '/agents', { name: 'adder' });
    const start = { prompt: 'Add', session_id: 'stored' };
    const { execution_id: id } = await json('POST', `/agents/${agent['id']}/execute`, start);
    const call = { id: 'c', name: 'add', arguments: { a: 1 }, further: [1] };
    const messages = [
      { message_id: 'm1', role: 'user', content: 'Add', timestamp: '2026-01-01T00:00:00.000Z' },
      { message_id: 'm2', role: 'assistant', content: '', tool_calls: [call, { ...call, id: 'd', arguments: null }] },
      { message_id: 'm3', role: 'tool', content: '1', tool_call_id: 'c', tool_name: 'add', status: 'success' },
      { role: 'assistant', content: 'Two?', source: 'member', member_id: 'a', member_name: null, step: 'sum' },
      { message_id: 'm4', role: 'assistant', content: 'On', partial: true, input_required: true, further: { z: 1 } },
    ];
    expect(await json('POST', `/executions/${id}/session`, { messages })).toMatchObject({ messages });
    const sent = await json('POST', `/executions/${id}/message`, { message: 'More', role: 'system' });
    const all = [...messages, expect.objectContaining({ message_id: sent['message_id'], role: 'system' })];
    expect(await json('GET', `/executions/${id}/messages`)).toEqual(all);
    expect(await json('GET', `/executions/${id}/session`)).toMatchObject({ messages: all });
    expect(await json('GET', `/executions/${id}/conversation`)).toMatchObject({ messages: all });
    const sessions = (await json('GET', '/sessions?q=stored')) as unknown as Json[];
    expect(await json('GET', `/sessions/${sessions[0]?.['id']}/messages`)).toEqual([
      ...messages.map((message) => ({ ...message, execution_id: id })),
      expect.objectContaining({ message_id: sent['message_id'], execution_id: id }),
    ]);
  });

  it('may have several megabytes', async () => {
    const id = await create();
    const messages = [{ role: 'tool', content: 'x'.repeat(5_000_000) }];
    expect((await send('POST', `/executions/${id}/session`, { messages })).status).toBe(200);
  });
});
