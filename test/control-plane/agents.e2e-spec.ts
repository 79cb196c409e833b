import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { eventually, StreamClient } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Agent = Schemas['AgentResponse'];

const AGENT = '/api/v1/agents/{agent_id}';

describe('agents over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  /** For bodies that the types of the client forbid. */
  const send = (path: string, body?: unknown): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
  const create = (body: Schemas['CreateAgentRequest']): Promise<Agent> => unwrap(api.POST('/api/v1/agents', { body }));
  const read = (agent_id: string): Promise<Agent> => unwrap(api.GET(AGENT, at({ agent_id })));
  const update = (agent_id: string, body: Schemas['UpdateAgentRequest']) =>
    api.PATCH(AGENT, at({ agent_id }, { body }));
  const execute = (agent_id: string, body: Schemas['ExecuteAgentRequest']) =>
    api.POST(`${AGENT}/execute`, at({ agent_id }, { body }));

  it('are created with every field and returned exactly as sent', async () => {
    const [environment] = await unwrap(api.GET('/api/v1/environments'));
    const fields = {
      name: 'Writer ',
      description: 'Writes',
      system_prompt: 'Be brief.\n',
      capabilities: ['write', 'read'],
      configuration: { z: { y: 1 }, a: null },
      model_id: 'acme/large',
      llm_config: { temperature: 0.2, stop: '.', other: 'x' },
      runtime: 'acme_code',
      team_id: 'team-1',
      environment_ids: [environment?.id ?? '', 'gone'],
      skill_ids: [],
      execution_environment: { mcp_servers: { m: { url: 'http://x' } }, env_vars: { A: '1' } },
    };
    const created = await send('/agents', { ...fields, status: 'running', state: { a: 1 }, id: 'mine' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'idle',
      state: {},
      projects: [],
      environments: [{ id: environment?.id, name: 'default', display_name: '', status: 'active' }],
      skills: [],
      last_active_at: null,
      error_message: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(JSON.stringify(await read((created.body as Agent).id))).toBe(JSON.stringify(created.body));
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const expected = {
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
    };
    const empty = { name: 'bare', description: '', model_id: null, runtime: '', capabilities: null };
    for (const body of [{ name: 'bare' }, { ...empty, configuration: null }]) {
      expect(await create(body)).toMatchObject(expected);
    }
    expect((await send('/agents', { ...empty, configuration: '' })).body).toMatchObject(expected);
  });

  it('require a name, which need not be unique, and values of the right type', async () => {
    const rejected = await send('/agents', { capabilities: 'x' });
    expect(rejected.status).toBe(422);
    expect(
      (rejected.body as { detail: { loc: unknown; type: unknown }[] }).detail.map(({ loc, type }) => [loc, type]),
    ).toEqual(
      expect.arrayContaining([
        [['body', 'name'], 'missing'],
        [['body', 'capabilities'], 'list_type'],
      ]),
    );
    const settings = { temperature: 'hot', max_tokens: 1.5, stop: ['.', 1], seed: 2 ** 40, other: 'x' };
    const wrong = await send('/agents', { name: 'a', llm_config: settings });
    const { detail } = wrong.body as { detail: { loc: readonly string[]; type: string }[] };
    expect(detail.map(({ loc, type }) => `${loc.join('.')}: ${type}`).toSorted()).toEqual([
      'body.llm_config.max_tokens: int_type',
      'body.llm_config.stop: string_type',
      'body.llm_config.temperature: float_type',
    ]);
    const [one, two] = [await create({ name: 'twin' }), await create({ name: 'twin' })];
    expect(one.id).not.toBe(two.id);
  });

  it('are updated partially: "" clears references and keeps runtime and status', async () => {
    const agent = await create({ name: 'a', description: 'd', model_id: 'm', team_id: 't', runtime: 'default' });
    const body = { description: '', model_id: '', team_id: '', runtime: '' };
    const changed = await unwrap(update(agent.id, body));
    const cleared = { description: null, model_id: null, team_id: null, updated_at: expect.any(String) };
    expect(changed).toEqual({ ...agent, ...cleared });
    expect(changed.updated_at).not.toBe(agent.updated_at);
    const key = platform.adminKey;
    const kept = await call('PATCH', `${platform.url}/api/v1/agents/${agent.id}`, { key, body: { status: '' } });
    expect(kept.body).toMatchObject({ status: agent.status });
  });

  it('are stored with a runtime that no live worker declares; the response reports this', async () => {
    const notice = async (runtime: string): Promise<string | null> => {
      const { status, headers } = await answerOf(api.POST('/api/v1/agents', { body: { name: 'a', runtime } }));
      expect(status).toBe(201);
      return headers.get('x-notice');
    };
    expect(await notice('default')).toBeNull();
    expect(await notice('')).toBeNull();
    expect(await notice('defualt')).toBe('No live worker declares the runtime defualt; known runtimes: default');
    expect(await notice('ünknown\n')).toBe('No live worker declares this runtime; known runtimes: default');
    const { id } = await create({ name: 'a' });
    const changed = await answerOf(update(id, { runtime: 'acme_code' }));
    expect(changed.headers.get('x-notice')).toContain('acme_code');
    const body = { runtimes: ['default', 'acme_code'] };
    const { worker_id } = await unwrap(api.POST('/api/v1/workers/register', { body }));
    expect(await notice('acme_code')).toBeNull();
    expect(await notice('other')).toBe('No live worker declares the runtime other; known runtimes: acme_code, default');
    await unwrap(api.POST('/api/v1/workers/{worker_id}/disconnect', at({ worker_id }, { body: {} })));
    expect(await notice('acme_code')).toContain('acme_code');
  });

  it('are listed by status with either name of the filter', async () => {
    const agent = await create({ name: 'stopped one' });
    await unwrap(update(agent.id, { status: 'stopped' }));
    for (const query of [{ status_filter: 'stopped' }, { status: 'stopped' }] as const) {
      const listed = await answerOf(api.GET('/api/v1/agents', { params: { query } }));
      expect(listed.body).toEqual([expect.objectContaining({ id: agent.id })]);
      expect(listed.headers.get('x-total-count')).toBe('1');
    }
    const url = `${platform.url}/api/v1/agents?status_filter=nonsense`;
    expect((await call('GET', url, { key: platform.adminKey })).status).toBe(422);
  });

  it('are deleted with a response that contains their id', async () => {
    const { id } = await create({ name: 'gone soon' });
    const remove = () => api.DELETE(AGENT, at({ agent_id: id }));
    expect(await unwrap(remove())).toEqual({ id, deleted: true });
    expect(await refusalOf(remove())).toEqual([404, 'agent_not_found']);
  });

  it('start an execution and return its id', async () => {
    const agent = await create({ name: 'runner' });
    const started = await answerOf(execute(agent.id, { prompt: 'Go' }));
    expect(started.status).toBe(200);
    const { execution_id } = started.body as Schemas['StartedExecutionResponse'];
    expect(started.body).toEqual({
      execution_id: expect.any(String),
      workflow_id: expect.any(String),
      status: 'pending',
      message: expect.stringMatching(/started; it waits, because no live worker serves the queue default$/),
    });
    expect(await unwrap(api.GET('/api/v1/executions/{execution_id}', at({ execution_id })))).toMatchObject({
      entity_id: agent.id,
      entity_name: 'runner',
      prompt: 'Go',
      status: 'pending',
    });
    expect(await read(agent.id)).toMatchObject({ last_active_at: expect.any(String) });
    const url = `${platform.url}/api/v1/executions/${execution_id}/stream`;
    const stream = await StreamClient.open(url, undefined, platform.adminKey);
    await eventually(() =>
      expect(stream.frames[0]?.data['message']).toMatch(/^Pending: it waits, because no live worker/),
    );
    stream.leave();
  });

  it('reject an execution without a prompt, on an unknown queue or of an unknown agent', async () => {
    const { id } = await create({ name: 'runner' });
    expect((await send(`/agents/${id}/execute`)).status).toBe(422);
    expect((await answerOf(execute(id, { prompt: 'Go', worker_queue_id: 'no' }))).status).toBe(404);
    expect(await refusalOf(execute('none', { prompt: 'Go' }))).toEqual([404, 'agent_not_found']);
  });
});
