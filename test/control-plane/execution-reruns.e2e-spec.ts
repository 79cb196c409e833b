import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

type Json = Record<string, unknown>;

describe('repetitions of executions over HTTP', () => {
  let platform: Platform;
  let user: Scenario;
  let agentId: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    user = new Scenario(platform);
    agentId = await user.newAgent({ name: 'writer' });
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    { key = platform.adminKey, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
  ): Promise<HttpResponse> => call(method, `${platform.url}/api/v1${path}`, { key, body, headers });

  async function sendOk(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await send(method, path, body);
    if (response.status >= 300) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body as Json;
  }

  const rerun = async (id: string, body: Json = {}): Promise<Json> => {
    const { execution_id } = await sendOk('POST', `/executions/${id}/rerun`, body);
    return sendOk('GET', `/executions/${String(execution_id)}`);
  };

  const start = async (body: Json = {}): Promise<string> =>
    String((await sendOk('POST', `/agents/${agentId}/execute`, { prompt: 'Write', ...body }))['execution_id']);

  it('start a new execution with the input of the first one', async () => {
    const id = await start({ system_prompt: 'Be brief', user_metadata: { ticket: 7 }, session_id: 's1' });
    // Clients may replace the metadata, so the repetition must not depend on it.
    await sendOk('PATCH', `/executions/${id}`, { status: 'failed', execution_metadata: { replaced: true } });
    const started = await sendOk('POST', `/executions/${id}/rerun`, {});
    expect(started).toEqual({
      execution_id: expect.not.stringMatching(id),
      workflow_id: started['execution_id'],
      status: 'pending',
      message: expect.stringContaining('Execution of writer started'),
    });
    expect(await sendOk('GET', `/executions/${String(started['execution_id'])}`)).toMatchObject({
      execution_type: 'agent',
      entity_id: agentId,
      prompt: 'Write',
      system_prompt: 'Be brief',
      status: 'pending',
      execution_metadata: { user_metadata: { ticket: 7 }, rerun_of: id },
    });
  });

  it('use given values in place of those of the first execution', async () => {
    const id = await start();
    const queue = await user.newQueue('elsewhere');
    const repeated = await rerun(id, { prompt: 'Edit', system_prompt: 'Slowly', worker_queue_id: 'elsewhere' });
    expect(repeated).toMatchObject({ prompt: 'Edit', system_prompt: 'Slowly', execution_metadata: { rerun_of: id } });
    const { items } = (await sendOk('GET', `/execution-summaries?worker_queue_id=${queue}`)) as { items: Json[] };
    expect(items.map((item) => item['id'])).toEqual([repeated['id']]);
    const override = { config_override: { timeout_seconds: -1 } };
    expect(await send('POST', `/executions/${id}/rerun`, override)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config_override', 'timeout_seconds'] }] },
    });
    expect(await send('POST', `/executions/${id}/rerun`, { parameters: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'parameters'], type: 'value_error' }] },
    });
    expect(await send('POST', `/executions/${id}/rerun`, { worker_queue_id: 'missing' })).toMatchObject({
      status: 404,
      body: { detail: 'There is no worker queue missing' },
    });
  });

  it('use the current definition of the job for a run of a job', async () => {
    const jobId = await user.newJob(agentId, { prompt_template: 'Hello {{ name }}', config: { a: 1, b: 1 } });
    const trigger = { parameters: { name: 'Ada' }, config_override: { b: 2 } };
    const { execution_id } = await sendOk('POST', `/jobs/${jobId}/trigger`, trigger);
    const id = String(execution_id);
    await sendOk('PATCH', `/jobs/${jobId}`, { prompt_template: 'Good day {{ name }}' });
    expect(await rerun(id)).toMatchObject({
      prompt: 'Good day Ada',
      execution_metadata: { job_id: jobId, parameters: { name: 'Ada' }, rerun_of: id },
    });
    const edited = await rerun(id, { parameters: { name: 'Bob' } });
    expect(edited['prompt']).toBe('Good day Bob');
    expect(await sendOk('GET', `/jobs/${jobId}`)).toMatchObject({
      total_executions: 3,
      last_execution_id: edited['id'],
      execution_history: [{ trigger_metadata: { rerun_of: id } }, { trigger_metadata: { rerun_of: id } }, {}],
    });
    expect(await send('POST', `/executions/${id}/rerun`, { prompt: 'Anything' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'prompt'], type: 'value_error' }] },
    });
    await sendOk('POST', `/jobs/${jobId}/disable`);
    expect(await send('POST', `/executions/${id}/rerun`, {})).toMatchObject({ status: 409 });
    await send('DELETE', `/jobs/${jobId}`);
    const gone = await send('POST', `/executions/${id}/rerun`, {});
    expect(gone).toMatchObject({ status: 404, body: { detail: 'Job not found' } });
  });

  it('pass the same parameters to the current definition of a workflow', async () => {
    const steps = [{ name: 'only', type: 'prompt', prompt: '{{params.topic}}' }];
    const { id: workflowId } = await sendOk('POST', '/workflows', { name: 'flow', steps });
    const body = { params: { topic: 'law' } };
    const { execution_id: id } = await sendOk('POST', `/workflows/${String(workflowId)}/execute`, body);
    expect(await rerun(String(id))).toMatchObject({
      execution_type: 'workflow',
      execution_metadata: { parameters: { topic: 'law' }, rerun_of: id },
    });
    expect(await rerun(String(id), { parameters: { topic: 'art' }, prompt: 'now' })).toMatchObject({
      prompt: 'now',
      execution_metadata: { parameters: { topic: 'art', prompt: 'now' } },
    });
  });

  it('are decided by the current policies', async () => {
    const guarded = await user.newAgent({ name: 'guarded' });
    const { execution_id: id } = await sendOk('POST', `/agents/${guarded}/execute`, { prompt: 'Go' });
    const policy_content = 'package guard\n\ndeny contains "not any more"';
    const { id: policy_id } = await sendOk('POST', '/policies', { name: 'guard', policy_content });
    await sendOk('POST', '/policies/associations', { policy_id, entity_type: 'agent', entity_id: guarded });
    const refused = await rerun(String(id));
    expect(refused).toMatchObject({ status: 'failed', error_message: expect.stringContaining('not any more') });
    const { results } = await sendOk('POST', '/executions/bulk', { action: 'rerun', execution_ids: [id] });
    expect(results).toEqual([
      {
        execution_id: id,
        ok: true,
        status: 200,
        detail: expect.stringContaining('not any more'),
        new_execution_id: expect.any(String),
      },
    ]);
  });

  it('are refused for an execution whose agent, team or workflow cannot run again', async () => {
    const { execution_id: unnamed } = await sendOk('POST', '/executions/create', { prompt: 'mine' });
    const conflict = await send('POST', `/executions/${String(unnamed)}/rerun`, {});
    expect(conflict.status).toBe(409);
    expect(conflict.headers.get('x-error-code')).toBe('execution_not_repeatable');
    const gone = await user.newAgent({ name: 'gone' });
    const { execution_id: id } = await sendOk('POST', `/agents/${gone}/execute`, { prompt: 'Go' });
    await sendOk('DELETE', `/agents/${gone}`);
    const missing = await send('POST', `/executions/${String(id)}/rerun`, {});
    expect(missing).toMatchObject({ status: 404, body: { detail: 'Agent not found' } });
  });

  it('require agents:write for the execution environment of another user', async () => {
    const id = await start({ execution_environment: { env_vars: { TOKEN: 'of the admin' } } });
    const plain = await start();
    const minting = await new PlatformApi(platform).call('POST', '/api/v1/users', {
      name: 'other',
      email: 'o@example.com',
    });
    const key = (await new PlatformApi(platform).withScopes('tasks:execute', 'tasks:read')).key;
    expect(minting.status).toBe(201);
    const { id: user_id } = minting.body as Json;
    const minted = await new PlatformApi(platform).call('POST', '/api/v1/auth/keys', {
      name: 'other',
      user_id,
      scopes: ['tasks:execute', 'tasks:read'],
    });
    const other = (minted.body as { key: string }).key;
    const as = (who: string, of: string): Promise<HttpResponse> =>
      send('POST', `/executions/${of}/rerun`, {}, { key: who });
    expect(await as(other, id)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('agents:write') },
    });
    expect((await as(other, plain)).status).toBe(200);
    // The same user, with fewer scopes, may repeat what this user has started.
    expect((await as(key, id)).status).toBe(200);
    expect((await as(platform.adminKey, id)).status).toBe(200);
  });

  it('start once per Idempotency-Key', async () => {
    const id = await start();
    const again = (): Promise<HttpResponse> =>
      send('POST', `/executions/${id}/rerun`, {}, { headers: { 'Idempotency-Key': `rerun ${id}` } });
    const [first, second] = [await again(), await again()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  describe('bulk actions', () => {
    const bulk = async (body: Json, headers: Record<string, string> = {}): Promise<Json[]> => {
      const response = await send('POST', '/executions/bulk', body, { headers });
      expect(response.status).toBe(200);
      return (response.body as { results: Json[] }).results;
    };

    it('have one result per id, in the order of the request', async () => {
      const stranger = await platform.createOrganization('stranger');
      const foreign = await call('POST', `${platform.url}/api/v1/executions/create`, {
        key: stranger.adminKey,
        body: { prompt: 'theirs' },
      });
      const foreignId = String((foreign.body as Json)['execution_id']);
      const [open, ended, cancelled] = [await start(), await start(), await start()];
      await sendOk('PATCH', `/executions/${ended}`, { status: 'completed' });
      await sendOk('POST', `/executions/${cancelled}/cancel`);
      const execution_ids = [foreignId, open, 'a\u{1F600}/..', open, ended, cancelled];
      const none = { new_execution_id: null };
      expect(await bulk({ action: 'cancel', execution_ids })).toEqual([
        { execution_id: foreignId, ok: false, status: 404, detail: 'Execution not found', ...none },
        { execution_id: open, ok: true, status: 200, detail: null, ...none },
        { execution_id: 'a\u{1F600}/..', ok: false, status: 404, detail: 'Execution not found', ...none },
        { execution_id: ended, ok: false, status: 409, detail: expect.stringContaining('completed'), ...none },
        { execution_id: cancelled, ok: true, status: 200, detail: null, ...none },
      ]);
      expect(await sendOk('GET', `/executions/${open}`)).toMatchObject({ status: 'cancelled' });
    });

    it('repeat each execution once, and once per Idempotency-Key', async () => {
      const ids = [await start({ prompt: 'one' }), await start({ prompt: 'two' })];
      const body = { action: 'rerun', execution_ids: [...ids, ...ids, 'missing'] };
      const headers = { 'Idempotency-Key': `bulk ${ids.join()}` };
      const results = await bulk(body, headers);
      expect(results.map((result) => [result['execution_id'], result['ok'], result['status']])).toEqual([
        [ids[0], true, 200],
        [ids[1], true, 200],
        ['missing', false, 404],
      ]);
      expect(await bulk(body, headers)).toEqual(results);
      for (const [index, prompt] of ['one', 'two'].entries()) {
        const repeated = await sendOk('GET', `/executions/${String(results[index]?.['new_execution_id'])}`);
        expect(repeated).toMatchObject({ prompt, status: 'pending', execution_metadata: { rerun_of: ids[index] } });
      }
    });

    it('accept 1 to 100 ids and a known action', async () => {
      const faults = async (body: Json): Promise<unknown> => (await send('POST', '/executions/bulk', body)).body;
      const execution_ids = Array.from({ length: 101 }, String);
      expect(await faults({ action: 'cancel', execution_ids })).toMatchObject({
        detail: [{ loc: ['body', 'execution_ids'], type: 'too_long' }],
      });
      expect(await faults({ action: 'cancel', execution_ids: [] })).toMatchObject({
        detail: [{ loc: ['body', 'execution_ids'], type: 'value_error' }],
      });
      expect(await faults({ action: 'delete', execution_ids: ['x'] })).toMatchObject({
        detail: [{ loc: ['body', 'action'], type: 'enum' }],
      });
    });
  });

  it('count each execution once, also when single requests cancel and repeat the same executions at the same time', async () => {
    const jobId = await user.newJob(agentId);
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await user.trigger(jobId)).execution_id));
    const bulk = (action: string, execution_ids: readonly string[]): Promise<HttpResponse> =>
      send('POST', '/executions/bulk', { action, execution_ids });
    const answers = await Promise.all([
      bulk('cancel', ids),
      bulk('rerun', ids),
      bulk('cancel', ids.toReversed()),
      bulk('rerun', ids.toReversed()),
      ...ids.map((id) => send('POST', `/executions/${id}/rerun`, {})),
      ...ids.map((id) => send('POST', `/executions/${id}/cancel`)),
    ]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const results = answers.flatMap(({ body }) => ((body as Json)['results'] ?? []) as Json[]);
    expect(results.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const single = answers.map(({ body }) => (body as Json)['execution_id']);
    const started = [...single, ...results.map((result) => result['new_execution_id'])].filter(Boolean);
    expect(new Set(started).size).toBe(3 * ids.length);
    for (const id of ids) expect((await user.execution(id)).status).toBe('cancelled');
    const { executions } = (await sendOk('GET', `/jobs/${jobId}/executions?limit=1000`)) as { executions: Json[] };
    const runs = executions.map((run) => run['execution_id']);
    expect(new Set(runs)).toEqual(new Set([...ids, ...started]));
    expect(await user.job(jobId)).toMatchObject({ total_executions: 4 * ids.length, failed_executions: 0 });
    await Promise.all(started.map((id) => user.cancel(String(id))));
  });
});
