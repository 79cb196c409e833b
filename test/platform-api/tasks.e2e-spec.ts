import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { PlatformApi } from './platform-api.js';

let platform: Platform;
let admin: PlatformApi;
let stranger: PlatformApi;
let agentId: string;

beforeAll(async () => {
  platform = await Platform.shared();
  admin = new PlatformApi(platform);
  stranger = new PlatformApi(platform, (await platform.createOrganization('strangers of tasks')).adminKey);
  agentId = await createAgent('Writer');
});

afterAll(() => platform.stop());

async function createAgent(name: string): Promise<string> {
  const response = await call('POST', `${platform.url}/api/v1/agents`, { key: platform.adminKey, body: { name } });
  expect(response.status).toBe(201);
  return (response.body as { id: string }).id;
}

async function startTask(name: string, parameters = {}): Promise<{ id: string; execution_id: string }> {
  const task = await admin.expect(201, 'POST', '/api/v1/tasks', { name, agent_id: agentId, parameters });
  return task as { id: string; execution_id: string };
}

/** Updates the execution of a task as a worker does. */
async function report(executionId: string, update: object): Promise<void> {
  const url = `${platform.url}/api/v1/executions/${executionId}`;
  expect(await call('PATCH', url, { key: platform.adminKey, body: update })).toMatchObject({ status: 200 });
}

describe('agents on the platform API', () => {
  it('are listed without their configuration', async () => {
    const { status, headers, body } = await admin.call('GET', '/api/v1/agents');
    expect({ status, total: headers.get('x-total-count') }).toEqual({ status: 200, total: '1' });
    expect(body).toEqual([
      {
        id: agentId,
        uuid: agentId,
        name: 'Writer',
        description: null,
        status: 'idle',
        runtime: null,
        model_id: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('are listed for their organization and for keys with the scope agents:read only', async () => {
    expect(await stranger.call('GET', '/api/v1/agents')).toMatchObject({ status: 200, body: [] });
    const executor = await admin.withScopes('tasks:execute');
    expect(await executor.call('GET', '/api/v1/agents')).toMatchObject({
      status: 403,
      body: { details: expect.stringContaining('agents:read') },
    });
  });
});

describe('tasks', () => {
  it('start an execution of the agent with name and parameters as its prompt', async () => {
    const executor = await admin.withScopes('tasks:execute');
    const parameters = { week: 46, days: ['mon'] };
    const response = await executor.call('POST', '/api/v1/tasks', { name: 'Report', agent_id: agentId, parameters });
    expect(response.status).toBe(201);
    const task = response.body as { id: string; execution_id: string };
    expect(task).toEqual({
      id: expect.any(String),
      name: 'Report',
      status: 'pending',
      agent_id: agentId,
      execution_id: expect.any(String),
      parameters,
      created_at: expect.stringMatching(/Z$/),
    });
    const execution = await admin.expect(200, 'GET', `/api/v1/executions/${task.execution_id}`);
    expect(execution).toMatchObject({
      id: task.execution_id,
      execution_type: 'agent',
      entity_id: agentId,
      entity_name: 'Writer',
      prompt: 'Report\n\nParameters:\n{"week":46,"days":["mon"]}',
      status: 'pending',
      participants: [{ role: 'owner' }],
    });
  });

  it('have a status, the result once completed, and the error once failed', async () => {
    const [good, bad] = [await startTask('good'), await startTask('bad')];
    await report(good.execution_id, { status: 'running' });
    expect(await admin.expect(200, 'GET', `/api/v1/tasks/${good.id}`)).toMatchObject({
      status: 'running',
      result: null,
      error: null,
    });
    await report(good.execution_id, { status: 'completed', response: 'All done.' });
    await report(bad.execution_id, { status: 'failed', error_message: 'No paper.' });
    expect(await admin.expect(200, 'GET', `/api/v1/tasks/${good.id}`)).toMatchObject({
      status: 'completed',
      result: 'All done.',
      error: null,
    });
    expect(await admin.expect(200, 'GET', `/api/v1/tasks/${bad.id}`)).toMatchObject({
      status: 'failed',
      result: null,
      error: 'No paper.',
    });
  });

  it('keep name and parameters unchanged when a worker updates the execution', async () => {
    const raw = `{"agent_id":"${agentId}","name":" Keep me ","parameters":{"z":1,"a":{"y":null,"b":[1.50,"ü"]}}}`;
    const { id, execution_id } = (await admin.call('POST', '/api/v1/tasks', undefined, { raw })).body as {
      id: string;
      execution_id: string;
    };
    await report(execution_id, { execution_metadata: { own: true } });
    const { name, parameters } = await admin.expect(200, 'GET', `/api/v1/tasks/${id}`);
    expect(name).toBe(' Keep me ');
    expect(JSON.stringify(parameters)).toBe('{"z":1,"a":{"y":null,"b":[1.5,"ü"]}}');
  });

  it('are listed newest first, page by page', async () => {
    const api = new PlatformApi(platform, (await platform.createOrganization('pages of tasks')).adminKey);
    const body = { name: 'Pager' };
    const agent = await call('POST', `${platform.url}/api/v1/agents`, { key: api.key, body });
    for (const name of ['one', 'two', 'three']) {
      await api.expect(201, 'POST', '/api/v1/tasks', { name, agent_id: (agent.body as { id: string }).id });
    }
    const page = await api.call('GET', '/api/v1/tasks?skip=1&limit=1');
    expect(page.headers.get('x-total-count')).toBe('3');
    expect(page.body).toEqual([
      expect.objectContaining({ name: 'two', status: 'pending', parameters: {}, result: null, error: null }),
    ]);
    const all = (await api.call('GET', '/api/v1/tasks')).body as { name: string }[];
    expect(all.map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    expect(await api.call('GET', '/api/v1/tasks?limit=0')).toMatchObject({
      status: 422,
      body: { details: expect.stringContaining('query.limit') },
    });
  });

  it('are started once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'task-once' };
    const body = { name: 'once', agent_id: agentId };
    const first = await admin.call('POST', '/api/v1/tasks', body, { headers });
    const second = await admin.call('POST', '/api/v1/tasks', body, { headers });
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await admin.call('POST', '/api/v1/tasks', { ...body, name: 'other' }, { headers });
    expect(other).toMatchObject({ status: 422, body: { errorCode: 'VALIDATION_ERROR' } });
  });

  it('require a name, an agent and an object as parameters, and report all faults', async () => {
    const { status, body } = await admin.call('POST', '/api/v1/tasks', { parameters: [] });
    const { details } = body as { details: string };
    expect(status).toBe(422);
    for (const field of ['body.name', 'body.agent_id', 'body.parameters']) expect(details).toContain(field);
  });

  it('are rejected for an unknown agent or one of another organization', async () => {
    for (const [api, agent_id] of [
      [admin, 'no-such-agent'],
      [stranger, agentId],
    ] as const) {
      const { status, body } = await api.call('POST', '/api/v1/tasks', { name: 'x', agent_id });
      expect({ status, body }).toEqual({
        status: 404,
        body: { error: 'Not found', details: 'Agent not found', errorCode: 'NOT_FOUND', status: 404 },
      });
    }
  });

  it.each([
    ['POST', '/api/v1/tasks', 'tasks:execute', 'tasks:read'],
    ['GET', '/api/v1/tasks', 'tasks:read', 'tasks:execute'],
    ['GET', '/api/v1/tasks/any', 'tasks:read', 'tasks:execute'],
    ['GET', '/api/v1/executions/any', 'tasks:read', 'tasks:execute'],
    ['GET', '/api/v1/executions/any/stream', 'tasks:read', 'tasks:execute'],
  ])('%s %s requires the scope %s', async (method, path, needed, other) => {
    const key = await admin.withScopes(other);
    expect(await key.call(method, path, method === 'POST' ? {} : undefined)).toMatchObject({
      status: 403,
      body: { errorCode: 'INSUFFICIENT_SCOPE', details: expect.stringContaining(needed) },
    });
  });

  it('are cancelled with their executions, which cannot be cancelled after they have ended otherwise', async () => {
    const { id, execution_id } = await startTask('stop');
    const path = `/api/v1/executions/${execution_id}/cancel`;
    await expect(admin.expect(200, 'POST', path)).resolves.toMatchObject({ id: execution_id, status: 'cancelled' });
    await expect(admin.expect(200, 'GET', `/api/v1/tasks/${id}`)).resolves.toMatchObject({ status: 'cancelled' });
    expect(await stranger.call('POST', path)).toMatchObject({ status: 404, body: { errorCode: 'NOT_FOUND' } });
    const { execution_id: completed } = await startTask('done');
    await report(completed, { status: 'completed' });
    const late = await admin.call('POST', `/api/v1/executions/${completed}/cancel`);
    expect(late).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });
  });

  it('are, like their executions, not accessible to another organization', async () => {
    const { id, execution_id } = await startTask('ours');
    for (const path of [`tasks/${id}`, `executions/${execution_id}`, `executions/${execution_id}/stream`]) {
      const foreign = await stranger.call('GET', `/api/v1/${path}`);
      const missing = await stranger.call('GET', `/api/v1/${path.replace(/\/[^/]+/, '/missing')}`);
      expect({ status: foreign.status, body: foreign.body }).toEqual({ status: 404, body: missing.body });
    }
    const theirs = (await stranger.call('GET', '/api/v1/tasks')).body;
    expect(theirs).toEqual([]);
  });
});

describe("the stream of a task's execution", () => {
  it('replays the published events and ends with done', async () => {
    const { execution_id: id } = await startTask('streamed');
    await report(id, { status: 'running' });
    const event = { event_type: 'message_chunk', data: { content: 'Hello' } };
    const events = `${platform.url}/api/v1/executions/${id}/events`;
    expect(await call('POST', events, { key: platform.adminKey, body: event })).toMatchObject({ status: 200 });
    await report(id, { status: 'completed', response: 'Hello' });

    const { status, headers, body } = await admin.call('GET', `/api/v1/executions/${id}/stream`);
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
    });
    const types = [...String(body).matchAll(/^event: (.+)$/gm)].map(([, type]) => type);
    expect(types[0]).toBe('connected');
    expect(types).toContain('message_chunk');
    expect(types.slice(-2)).toEqual(['status', 'done']);
  });

  it('resumes after the last event id of the client', async () => {
    const { execution_id: id } = await startTask('resumed');
    const events = `${platform.url}/api/v1/executions/${id}/events`;
    const publish = async (content: string): Promise<string> => {
      const body = { event_type: 'message_chunk', data: { content } };
      const response = await call('POST', events, { key: platform.adminKey, body });
      return (response.body as { event_id: string }).event_id;
    };
    const seen = await publish('first');
    await publish('second');
    await report(id, { status: 'cancelled' });
    for (const [query, headers] of [
      ['', { 'Last-Event-ID': seen }],
      [`?last_event_id=${encodeURIComponent(seen)}`, {}],
    ] as const) {
      const { body } = await admin.call('GET', `/api/v1/executions/${id}/stream${query}`, undefined, { headers });
      expect(body).not.toContain('first');
      expect(body).toContain('second');
    }
  });
});
