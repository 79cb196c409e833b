import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('executions over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> => call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers });

  const json = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await send(method, path, body)).body as Json;

  const create = async (body: Json = {}): Promise<string> =>
    (await json('POST', '/executions/create', body))['execution_id'] as string;

  it('are created under a given id and returned with every field', async () => {
    const body = {
      execution_id: 'run:2026.01-01_a',
      execution_type: 'workflow',
      entity_id: 'w1',
      prompt: ' as sent ',
      execution_metadata: { z: 1, a: [null] },
      status: 'completed',
      organization_id: 'another',
    };
    const created = await send('POST', '/executions/create', body);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      execution_id: body.execution_id,
      status: 'pending',
      created_at: expect.any(String),
    });
    const read = await send('GET', `/executions/${body.execution_id}`);
    expect(read.status).toBe(200);
    const execution = read.body as Json;
    expect(execution).toEqual({
      id: body.execution_id,
      organization_id: expect.not.stringMatching('another'),
      execution_type: 'workflow',
      entity_id: 'w1',
      entity_name: null,
      prompt: ' as sent ',
      system_prompt: null,
      status: 'pending',
      response: null,
      error_message: null,
      runner_name: null,
      user_id: expect.any(String),
      user_name: execution['user_name'],
      user_email: execution['user_email'],
      user_avatar: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      started_at: null,
      completed_at: null,
      updated_at: execution['created_at'],
      last_message_at: null,
      last_message_preview: null,
      usage: {},
      execution_metadata: { z: 1, a: [null] },
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      session_id: null,
      participants: [expect.objectContaining({ user_id: execution['user_id'], role: 'owner' })],
    });
    expect(JSON.stringify(execution['execution_metadata'])).toBe('{"z":1,"a":[null]}');
    expect((await send('POST', '/executions/create', body)).status).toBe(409);
  });

  it('reject an id with invalid characters and an unknown type', async () => {
    const rejected = await send('POST', '/executions/create', { execution_id: 'a b', execution_type: 'robot' });
    expect(rejected.status).toBe(422);
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'execution_id'], 'string_pattern_mismatch'],
      [['body', 'execution_type'], 'enum'],
    ]);
  });

  it('change status by PATCH in any letter case, and keep a final status', async () => {
    const id = await create();
    const running = await send('PATCH', `/executions/${id}`, { status: 'RUNNING', usage: null, response: '' });
    expect(running.status).toBe(200);
    expect(running.body).toMatchObject({
      status: 'running',
      started_at: expect.any(String),
      response: null,
      usage: {},
    });
    const usage = { total_tokens: 12, z: { b: 1, a: 2 } };
    const ended = await json('PATCH', `/executions/${id}`, { status: 'Completed', response: 'Hello', usage });
    expect(ended).toMatchObject({ status: 'completed', response: 'Hello', completed_at: expect.any(String) });
    expect(JSON.stringify(ended['usage'])).toBe(JSON.stringify(usage));
    expect(await json('PATCH', `/executions/${id}`, { status: 'completed' })).toEqual(ended);
    const rejected = await send('PATCH', `/executions/${id}`, { status: 'failed', response: 'No' });
    expect(rejected.status).toBe(409);
    expect(rejected.body).toEqual({ detail: expect.stringContaining('completed') });
    expect(await json('GET', `/executions/${id}`)).toEqual(ended);
    expect(await json('PATCH', `/executions/${id}`, { execution_metadata: { late: true } })).toMatchObject({
      status: 'completed',
      execution_metadata: { late: true },
    });
  });

  it('reject an unknown status and invalid times with all faults at once', async () => {
    const id = await create();
    const rejected = await send('PATCH', `/executions/${id}`, { status: 'done', started_at: 'soon', usage: [] });
    expect(rejected.status).toBe(422);
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'status'], 'enum'],
      [['body', 'started_at'], 'datetime_parsing'],
      [['body', 'usage'], 'dict_type'],
    ]);
  });

  it('return 409 for any write with a stale lease token', async () => {
    const id = await create();
    await send('PATCH', `/executions/${id}`, { status: 'running' });
    const before = await json('GET', `/executions/${id}`);
    const writes: readonly [string, string, Json?][] = [
      ['PATCH', `/executions/${id}`, { response: 'x' }],
      ['PATCH', `/executions/${id}/status`, { status: 'completed' }],
      ['POST', `/executions/${id}/cancel`],
      ['POST', `/executions/${id}/pause`],
      ['POST', `/executions/${id}/resume`],
      ['POST', `/executions/${id}/events`, { event_type: 'x' }],
      ['POST', `/executions/${id}/message`, { message: 'x' }],
      ['POST', `/executions/${id}/session`, { messages: [] }],
      ['POST', '/analytics/tasks', { execution_id: id }],
      ['POST', '/analytics/batch', { execution_id: id, tasks: [{}] }],
    ];
    for (const [method, path, body] of writes) {
      const rejected = await send(method, path, body, { 'X-Lease-Token': 'stale' });
      expect([method, path, rejected.status]).toEqual([method, path, 409]);
    }
    expect(await json('GET', `/executions/${id}`)).toEqual(before);
    expect(await json('GET', `/executions/${id}/tasks`)).toEqual([]);
  });

  it('return 404 on every route if they do not exist', async () => {
    const routes: readonly [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', {}],
      ['PATCH', '/status', { status: 'running' }],
      ['POST', '/cancel'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/message', { message: 'x' }],
      ['GET', '/session'],
      ['POST', '/session', {}],
      ['GET', '/messages'],
      ['GET', '/tasks'],
      ['POST', '/job/j/status', { status: 'running' }],
    ];
    for (const [method, path, body] of routes) {
      const answer = await send(method, `/executions/missing${path}`, body);
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        404,
        { detail: 'Execution not found' },
      ]);
    }
  });

  it('are cancelled, paused and resumed', async () => {
    const id = await create();
    expect((await send('POST', `/executions/${id}/pause`)).status).toBe(409);
    await send('PATCH', `/executions/${id}/status`, { status: 'running' });
    expect(await json('POST', `/executions/${id}/pause`)).toMatchObject({ status: 'paused' });
    expect(await json('POST', `/executions/${id}/resume`)).toMatchObject({ status: 'running' });
    expect(await json('POST', `/executions/${id}/cancel`)).toMatchObject({ status: 'cancelled' });
    expect((await send('POST', `/executions/${id}/cancel`)).status).toBe(200);
    expect((await send('POST', `/executions/${id}/resume`)).status).toBe(409);
  });

  it('are listed newest first with either name of the status filter, with the total', async () => {
    const ids = [await create({ entity_id: 'listed' }), await create({ entity_id: 'listed' })];
    await send('POST', `/executions/${ids[0]}/cancel`);
    const listed = async (query: string): Promise<[string | null, unknown[]]> => {
      const answer = await send('GET', `/executions?entity_id=listed${query}`);
      return [answer.headers.get('X-Total-Count'), (answer.body as Json[]).map(({ id }) => id)];
    };
    expect(await listed('')).toEqual(['2', [...ids].reverse()]);
    expect(await listed('&limit=1&skip=1')).toEqual(['2', [ids[0]]]);
    expect(await listed('&status=CANCELLED')).toEqual(['1', [ids[0]]]);
    expect(await listed('&status_filter=pending&execution_type=agent')).toEqual(['1', [ids[1]]]);
    expect(await listed('&status_filter=pending&execution_type=AGENT')).toEqual(['1', [ids[1]]]);
    expect(await listed('&execution_type=team')).toEqual(['0', []]);
    expect(await listed('&execution_type=')).toEqual(['2', [...ids].reverse()]);
    expect((await send('GET', '/executions?status=done')).status).toBe(422);
    expect((await send('GET', '/executions?execution_type=robot')).status).toBe(422);
  });

  it('accept the status report of their job', async () => {
    const id = await create({ job_id: 'job_1' });
    const report = { status: 'COMPLETED', duration_ms: 12, error_message: null };
    const answer = await send('POST', `/executions/${id}/job/job_1/status`, report);
    expect([answer.status, answer.body]).toEqual([200, { job_id: 'job_1', execution_id: id, status: 'completed' }]);
    expect(await json('GET', `/executions/${id}`)).toMatchObject({ status: 'completed' });
    expect((await send('POST', `/executions/${id}/job/job_2/status`, report)).status).toBe(404);
    expect((await send('POST', `/executions/${id}/job/job_1/status`, { status: 'failed' })).status).toBe(409);
    expect((await send('POST', `/executions/${id}/job/job_1/status`, { status: 'paused' })).status).toBe(422);
  });

  it('accept durations of any length in the status report and in tasks', async () => {
    const id = await create({ job_id: 'job_1' });
    const report = { status: 'completed', duration_ms: 30 * 86_400_000 };
    expect((await send('POST', `/executions/${id}/job/job_1/status`, report)).status).toBe(200);
    const task = { execution_id: id, task_id: 'long', duration_ms: Number.MAX_SAFE_INTEGER };
    expect((await send('POST', '/analytics/tasks', task)).status).toBe(201);
    expect((await send('GET', `/executions/${id}/tasks`)).body).toMatchObject([task]);
    const beyond = { duration_ms: Number.MAX_SAFE_INTEGER + 1 };
    expect((await send('PATCH', '/analytics/tasks/long', beyond)).status).toBe(422);
  });

  it('respond to the status report with the actual status of the run, mapped to the statuses of reports', async () => {
    const id = await create({ job_id: 'job_1' });
    const reportPending = async (): Promise<unknown> =>
      (await json('POST', `/executions/${id}/job/job_1/status`, { status: 'pending' }))['status'];
    expect(await reportPending()).toBe('pending');
    for (const [status, reported] of [
      ['running', 'running'],
      ['waiting_for_input', 'running'],
      ['running', 'running'],
      ['paused', 'running'],
      ['terminated', 'failed'],
    ]) {
      await send('PATCH', `/executions/${id}`, { status });
      expect([status, await reportPending()]).toEqual([status, reported]);
    }
  });

  it('have task records that are created, updated by the same task, changed and listed', async () => {
    const id = await create();
    const task = { execution_id: id, task_id: 't1', task_number: 1, task_description: 'Think', task_type: 'reasoning' };
    const created = await send('POST', '/analytics/tasks', { ...task, metadata: { z: 1, a: 2 } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...task,
      id: expect.any(String),
      organization_id: expect.any(String),
      status: 'pending',
      started_at: null,
      completed_at: null,
      duration_ms: null,
      result: null,
      error_message: null,
      metadata: { z: 1, a: 2 },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const again = await send('POST', '/analytics/tasks', { execution_id: id, task_id: 't1', status: 'running' });
    expect([again.status, (again.body as Json)['id']]).toEqual([201, (created.body as Json)['id']]);
    const changed = await json('PATCH', '/analytics/tasks/t1', {
      status: 'completed',
      result: 'Thought',
      duration_ms: 5,
    });
    expect(changed).toMatchObject({
      status: 'completed',
      result: 'Thought',
      duration_ms: 5,
      task_description: 'Think',
    });
    expect((await send('GET', `/executions/${id}/tasks`)).body).toEqual([changed]);
    expect((await send('PATCH', '/analytics/tasks/missing', {})).status).toBe(404);
    expect((await send('POST', '/analytics/tasks', { execution_id: 'missing' })).status).toBe(404);
    const rejected = await send('POST', '/analytics/tasks', { status: 'x'.repeat(51), duration_ms: 'long' });
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'execution_id'], 'missing'],
      [['body', 'status'], 'string_too_long'],
      [['body', 'duration_ms'], 'int_type'],
    ]);
  });

  it('accept batches of tasks, tool calls and turns, and aggregate them', async () => {
    const id = await create();
    const batch = { execution_id: id, tasks: [{ task_id: 'a' }, {}], tool_calls: [{ id: 'c' }], turns: [{}, {}] };
    const taken = await send('POST', '/analytics/batch', batch);
    expect([taken.status, taken.body]).toEqual([200, { execution_id: id, tasks: 2, tool_calls: 1, turns: 2 }]);
    expect(await json('GET', `/analytics/summary?execution_id=${id}`)).toEqual({
      total_executions: 1,
      executions_by_status: { pending: 1 },
      total_tasks: 2,
      tasks_by_status: { pending: 2 },
      total_tool_calls: 1,
      total_turns: 2,
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      cost: 0,
      by_team: [],
      by_model: [],
      by_agent: expect.any(Array),
      by_day: [expect.objectContaining({ executions: 1, cost: 0 })],
      durations: { count: 0, p50_ms: null, p90_ms: null, p95_ms: null, p99_ms: null },
    });
    const rejected = await send('POST', '/analytics/batch', {
      execution_id: id,
      tasks: [{ duration_ms: -1 }],
      turns: ['x'],
    });
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'tasks', '0', 'duration_ms'], 'greater_than_equal'],
      [['body', 'turns', '0'], 'dict_type'],
    ]);
  });

  it('have files, which are downloaded as they were uploaded and never rendered by browsers', async () => {
    const address = `${platform.url}/api/v1/executions/${await create()}/files`;
    const put = (name: string, raw: Uint8Array, headers: Record<string, string> = {}): Promise<HttpResponse> =>
      call('PUT', `${address}/${name}`, { key: platform.adminKey, raw, headers });
    const bytes = Uint8Array.from({ length: 256 }, (_value, index) => index);
    const saved = await put('out/all%20bytes%27s.html', bytes, { 'Content-Type': 'text/html; charset=utf-8' });
    const file = { name: "out/all bytes's.html", size: 256, content_type: 'text/html; charset=utf-8' };
    expect([saved.status, saved.body]).toEqual([200, { ...file, created_at: expect.any(String) }]);
    for (const name of ["out/all bytes's.html", "out%2Fall bytes's.html"]) {
      const read = await fetch(`${address}/${name}`, { headers: { Authorization: `Bearer ${platform.adminKey}` } });
      expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes);
      expect(Object.fromEntries(read.headers)).toMatchObject({
        'content-type': file.content_type,
        'content-length': '256',
        'content-disposition': "attachment; filename*=UTF-8''all%20bytes%27s.html",
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    }
    const listed = await call('GET', address, { key: platform.adminKey });
    expect([listed.headers.get('x-total-count'), listed.body]).toEqual(['1', [saved.body]]);

    const ofTenMib = await put('large.bin', new Uint8Array(10 * 1_048_576), { 'Content-Type': 'a/b' });
    expect([ofTenMib.status, ofTenMib.body]).toMatchObject([200, { size: 10 * 1_048_576 }]);
    expect((await put('larger.bin', new Uint8Array(10 * 1_048_576 + 1))).status).toBe(413);
    for (const [name, headers, loc] of [
      ['a%2F..%2F..%2Fb', {}, ['path', 'file_name']],
      ['%2Fetc%2Fpasswd', {}, ['path', 'file_name']],
      ['a.txt', { 'Content-Type': 'no media type' }, ['header', 'content-type']],
    ] as const) {
      const rejected = await put(name, bytes, headers);
      expect([rejected.status, (rejected.body as { detail: Json[] }).detail[0]?.['loc']]).toEqual([422, loc]);
    }
    expect((await put('a.txt', bytes, { 'X-Lease-Token': 'stale' })).headers.get('x-error-code')).toBe('lease_lost');
    expect((await call('GET', `${address}/a.txt`, { key: platform.adminKey })).status).toBe(404);
  });
});
