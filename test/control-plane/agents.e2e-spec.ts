import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { StreamClient } from '../../libs/events/test-support/stream-client.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('agents over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  const create = async (body: Json): Promise<Json> => (await send('POST', '/agents', body)).body as Json;

  it('are created with every field and returned exactly as sent', async () => {
    const [environment] = (await send('GET', '/environments')).body as Json[];
    const fields = {
      name: 'Writer ',
      description: 'Writes',
      system_prompt: 'Be brief.\n',
      capabilities: ['write', 'read'],
      configuration: { z: { y: 1 }, a: null },
      model_id: 'acme/large',
      llm_config: { temperature: 0.2 },
      runtime: 'acme_code',
      team_id: 'team-1',
      environment_ids: [environment?.['id'], 'gone'],
      skill_ids: [],
      execution_environment: { mcp_servers: { m: { url: 'http://x' } }, env_vars: { A: '1' } },
    };
    const created = await send('POST', '/agents', { ...fields, status: 'running', state: { a: 1 }, id: 'mine' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'idle',
      state: {},
      projects: [],
      environments: [{ id: environment?.['id'], name: 'default', display_name: '', status: 'active' }],
      skills: [],
      last_active_at: null,
      error_message: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const read = await send('GET', `/agents/${(created.body as Json)['id']}`);
    expect(JSON.stringify(read.body)).toBe(JSON.stringify(created.body));
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const empty = { description: '', model_id: null, runtime: '', capabilities: null, configuration: '' };
    for (const body of [{ name: 'bare' }, { name: 'bare', ...empty }]) {
      expect(await create(body)).toMatchObject({
        description: null,
        system_prompt: null,
        capabilities: [],
        configuration: {},
        model_id: null,
        llm_config: {},
        runtime: null,
        team_id: null,
        environment_ids: [],
        skill_ids: [],
        execution_environment: {},
      });
    }
  });

  it('require a name, which need not be unique', async () => {
    const rejected = await send('POST', '/agents', { capabilities: 'x' });
    expect(rejected.status).toBe(422);
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc, type }) => [loc, type])).toEqual(
      expect.arrayContaining([
        [['body', 'name'], 'missing'],
        [['body', 'capabilities'], 'list_type'],
      ]),
    );
    const [one, two] = [await create({ name: 'twin' }), await create({ name: 'twin' })];
    expect(one['id']).not.toBe(two['id']);
  });

  it('are updated partially: "" clears references and keeps runtime and status', async () => {
    const agent = await create({ name: 'a', description: 'd', model_id: 'm', team_id: 't', runtime: 'default' });
    const body = { description: '', model_id: '', team_id: '', runtime: '', status: '' };
    const changed = await send('PATCH', `/agents/${agent['id']}`, body);
    const cleared = { description: null, model_id: null, team_id: null, updated_at: expect.any(String) };
    expect(changed.body).toEqual({ ...agent, ...cleared });
    expect((changed.body as Json)['updated_at']).not.toBe(agent['updated_at']);
  });

  it('are stored with a runtime that no live worker declares, which the response says', async () => {
    const notice = async (runtime: string): Promise<string | null> => {
      const { status, headers } = await send('POST', '/agents', { name: 'a', runtime });
      expect(status).toBe(201);
      return headers.get('x-notice');
    };
    expect(await notice('default')).toBeNull();
    expect(await notice('')).toBeNull();
    expect(await notice('defualt')).toBe('No live worker declares the runtime defualt; known runtimes: default');
    expect(await notice('ünknown\n')).toBe('No live worker declares this runtime; known runtimes: default');
    const { id } = await create({ name: 'a' });
    const changed = await send('PATCH', `/agents/${String(id)}`, { runtime: 'acme_code' });
    expect(changed.headers.get('x-notice')).toContain('acme_code');
    const worker = { runtimes: ['default', 'acme_code'] };
    const { worker_id: workerId } = (await send('POST', '/workers/register', worker)).body as Json;
    expect(await notice('acme_code')).toBeNull();
    expect(await notice('other')).toBe('No live worker declares the runtime other; known runtimes: acme_code, default');
    await send('POST', `/workers/${String(workerId)}/disconnect`);
    expect(await notice('acme_code')).toContain('acme_code');
  });

  it('are listed by status with either name of the filter', async () => {
    const agent = await create({ name: 'stopped one' });
    await send('PATCH', `/agents/${agent['id']}`, { status: 'stopped' });
    for (const filter of ['status_filter=stopped', 'status=stopped']) {
      const listed = await send('GET', `/agents?${filter}`);
      expect(listed.body).toEqual([expect.objectContaining({ id: agent['id'] })]);
      expect(listed.headers.get('x-total-count')).toBe('1');
    }
    expect((await send('GET', '/agents?status_filter=nonsense')).status).toBe(422);
  });

  it('are deleted with a response that contains their id', async () => {
    const { id } = await create({ name: 'gone soon' });
    expect(await send('DELETE', `/agents/${id}`)).toMatchObject({ status: 200, body: { id, deleted: true } });
    expect((await send('DELETE', `/agents/${id}`)).status).toBe(404);
  });

  it('start an execution and return its id', async () => {
    const agent = await create({ name: 'runner' });
    const started = await send('POST', `/agents/${agent['id']}/execute`, { prompt: 'Go' });
    expect(started.status).toBe(200);
    const { execution_id: executionId } = started.body as Json;
    expect(started.body).toEqual({
      execution_id: expect.any(String),
      workflow_id: expect.any(String),
      status: 'pending',
      message: expect.stringMatching(/started; it waits, because no live worker serves the queue default$/),
    });
    expect((await send('GET', `/executions/${executionId}`)).body).toMatchObject({
      entity_id: agent['id'],
      entity_name: 'runner',
      prompt: 'Go',
      status: 'pending',
    });
    expect((await send('GET', `/agents/${agent['id']}`)).body).toMatchObject({ last_active_at: expect.any(String) });
    const url = `${platform.url}/api/v1/executions/${executionId}/stream`;
    const stream = await StreamClient.open(url, undefined, platform.adminKey);
    await eventually(() =>
      expect(stream.frames[0]?.data['message']).toMatch(/^Pending: it waits, because no live worker/),
    );
    stream.leave();
  });

  it('reject an execution without a prompt, on an unknown queue or of an unknown agent', async () => {
    const { id } = await create({ name: 'runner' });
    expect((await send('POST', `/agents/${id}/execute`)).status).toBe(422);
    expect((await send('POST', `/agents/${id}/execute`, { prompt: 'Go', worker_queue_id: 'no' })).status).toBe(404);
    expect((await send('POST', '/agents/none/execute', { prompt: 'Go' })).status).toBe(404);
  });
});
