import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const CONFIGURATION = {
  zeta: { kept: [1, { a: null }] },
  member_ids: [] as unknown[],
  instructions: ' Work together.\n',
  reasoning: { enabled: true, model: 'm', agent_id: 'a', min_steps: 1, max_steps: 9, own: 1 },
  llm: {
    model: 'acme/large',
    temperature: 0.2,
    max_tokens: 100,
    top_p: 1,
    top_k: 40,
    stop: ['END'],
    frequency_penalty: 0,
    presence_penalty: -0.5,
  },
  tools: [{ name: 't' }],
  knowledge_base: { id: 'k' },
  session: { user_id: 'u', session_id: 's', auto_save: true, persist: false },
  dependencies: { d: 1 },
  markdown: true,
  add_datetime_to_instructions: false,
  structured_outputs: false,
  response_model: 'Report',
  debug_mode: false,
  monitoring: true,
  metadata: { m: 1 },
  alpha: null,
};

describe('teams over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  const create = async (body: Json): Promise<Json> => (await send('POST', '/teams', body)).body as Json;

  const newAgent = async (body: Json = {}): Promise<Json> =>
    (await send('POST', '/agents', { name: 'agent', ...body })).body as Json;

  it('are created with every field and returned exactly as sent', async () => {
    const members = [await newAgent({ name: 'one' }), await newAgent({ name: 'two' })];
    const configuration = { ...CONFIGURATION, member_ids: members.map(({ id }) => id).toReversed() };
    const fields = {
      name: 'Crew ',
      description: 'Ships',
      configuration,
      runtime: 'acme_code',
      environment_ids: ['later', 'default'],
      skill_ids: [],
      execution_environment: { working_dir: '/srv', secrets: ['b', 'a'], env_vars: { A: '1' } },
    };
    const created = await send('POST', '/teams', { ...fields, status: 'archived', agents: [{}], id: 'mine' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'active',
      agents: members,
      projects: [],
      skills: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(JSON.stringify((created.body as Json)['configuration'])).toBe(JSON.stringify(configuration));
    const read = await send('GET', `/teams/${(created.body as Json)['id']}`);
    expect(JSON.stringify(read.body)).toBe(JSON.stringify(created.body));
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const lists = { skill_ids: '', environment_ids: null };
    const empty = { description: '', configuration: null, ...lists, execution_environment: null, runtime: null };
    for (const body of [{ name: 'bare' }, { name: 'bare', ...empty }]) {
      expect(await create(body)).toMatchObject({
        description: null,
        configuration: {},
        runtime: null,
        skill_ids: [],
        environment_ids: [],
        execution_environment: {},
      });
    }
  });

  it('accept "" for the default runtime', async () => {
    expect(await create({ name: 'a', runtime: '' })).toMatchObject({ runtime: 'default' });
  });

  it('require a name and valid types of the known configuration fields', async () => {
    const configuration = {
      instructions: 7,
      reasoning: { max_steps: 'many' },
      llm: { temperature: 'hot', stop: ['a', 1] },
      tools: [{}, 'x'],
      session: [],
      markdown: 'yes',
      unknown: 1,
    };
    const rejected = await send('POST', '/teams', { configuration });
    expect(rejected.status).toBe(422);
    const faults = (rejected.body as { detail: { loc: string[]; type: string }[] }).detail;
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.configuration.instructions: string_type',
      'body.configuration.llm.stop.1: string_type',
      'body.configuration.llm.temperature: float_type',
      'body.configuration.markdown: bool_type',
      'body.configuration.reasoning.max_steps: int_type',
      'body.configuration.session: dict_type',
      'body.configuration.tools.1: dict_type',
      'body.name: missing',
    ]);
  });

  it('are updated partially: "" clears the description and keeps name, runtime, status and configuration', async () => {
    const team = await create({ name: 'a', description: 'd', runtime: 'acme_code', configuration: { x: 1 } });
    const body = { description: '', runtime: '', status: '', name: '', configuration: '' };
    const changed = await send('PATCH', `/teams/${team['id']}`, body);
    expect(changed.body).toEqual({ ...team, description: null, updated_at: expect.any(String) });
    expect((changed.body as Json)['updated_at']).not.toBe(team['updated_at']);
    const replaced = await send('PATCH', `/teams/${team['id']}`, { configuration: { y: 2 }, status: 'inactive' });
    expect(replaced.body).toMatchObject({ configuration: { y: 2 }, status: 'inactive' });
    expect((replaced.body as Json)['configuration']).toEqual({ y: 2 });
    expect((await send('PATCH', `/teams/${team['id']}`, { status: 'gone' })).status).toBe(422);
  });

  it('are listed newest first, by status with either name of the filter', async () => {
    const older = await create({ name: 'older' });
    const newer = await create({ name: 'newer' });
    for (const { id } of [older, newer]) await send('PATCH', `/teams/${id}`, { status: 'archived' });
    for (const filter of ['status=archived', 'status_filter=archived']) {
      const listed = await send('GET', `/teams?${filter}&limit=1`);
      expect(listed.body).toEqual([expect.objectContaining({ id: newer['id'] })]);
      expect(listed.headers.get('x-total-count')).toBe('2');
    }
    expect((await send('GET', '/teams?status=archived&skip=1')).body).toMatchObject([{ id: older['id'] }]);
    for (const query of ['status=nonsense', 'limit=0', 'skip=-1']) {
      expect((await send('GET', `/teams?${query}`)).status).toBe(422);
    }
  });

  it('add and remove agents, and return their members each time', async () => {
    const team = await create({ name: 'crew' });
    const agent = await newAgent({ name: 'member' });
    const path = `/teams/${team['id']}/agents/${agent['id']}`;
    const added = await send('POST', path);
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      ...team,
      agents: [{ ...agent, team_id: team['id'], updated_at: expect.any(String) }],
      updated_at: expect.any(String),
    });
    expect((await send('GET', `/agents/${agent['id']}`)).body).toMatchObject({ team_id: team['id'] });
    expect((await send('GET', '/teams?limit=1')).body).toMatchObject([{ agents: [{ id: agent['id'] }] }]);
    expect(await send('DELETE', path)).toMatchObject({ status: 200, body: { id: team['id'], agents: [] } });
    expect((await send('GET', `/agents/${agent['id']}`)).body).toMatchObject({ team_id: null });
    expect((await send('DELETE', path)).status).toBe(404);
    expect((await send('POST', `/teams/${team['id']}/agents/nobody`)).status).toBe(404);
    expect((await send('POST', `/teams/nothing/agents/${agent['id']}`)).status).toBe(404);
  });

  it('have the agents in member_ids, and ignore ids that name none', async () => {
    const agent = await newAgent({ name: 'listed' });
    const configuration = { metadata: { kept: 1 }, member_ids: [agent['id'], 'unknown'] };
    const team = await create({ name: 'crew', configuration });
    expect(team).toMatchObject({ configuration, agents: [agent] });
    const removed = await send('DELETE', `/teams/${team['id']}/agents/${agent['id']}`);
    const left = { metadata: { kept: 1 }, member_ids: ['unknown'] };
    expect(removed.body).toMatchObject({ agents: [], configuration: left });
  });

  it('are deleted without a body, and leave their members without a team', async () => {
    const { id } = await create({ name: 'gone soon' });
    const agent = await newAgent({ team_id: id });
    expect(await send('DELETE', `/teams/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect((await send('DELETE', `/teams/${id}`)).status).toBe(404);
    expect((await send('GET', `/teams/${id}`)).status).toBe(404);
    expect((await send('GET', `/agents/${agent['id']}`)).body).toMatchObject({ team_id: null });
  });

  it('start an execution and return its id', async () => {
    const team = await create({ name: 'runner' });
    const started = await send('POST', `/teams/${team['id']}/execute`, { prompt: 'Go' });
    expect(started.status).toBe(200);
    const { execution_id: executionId } = started.body as Json;
    expect(started.body).toEqual({
      execution_id: expect.any(String),
      workflow_id: executionId,
      status: 'pending',
      message: expect.any(String),
    });
    expect((await send('GET', `/executions/${executionId}`)).body).toMatchObject({
      execution_type: 'team',
      entity_id: team['id'],
      entity_name: 'runner',
      prompt: 'Go',
    });
  });

  it('reject an execution without a prompt, on an unknown queue or of an unknown team', async () => {
    const { id } = await create({ name: 'runner' });
    expect((await send('POST', `/teams/${id}/execute`)).status).toBe(422);
    expect((await send('POST', `/teams/${id}/execute`, { prompt: 'Go', worker_queue_id: 'no' })).status).toBe(404);
    expect((await send('POST', '/teams/none/execute', { prompt: 'Go' })).status).toBe(404);
  });

  it('are executed by jobs with planning_mode predefined_team, which show their name', async () => {
    const team = await create({ name: 'nightly crew' });
    const plan = { planning_mode: 'predefined_team', entity_type: 'team', entity_id: team['id'] };
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Do {{ what }}', ...plan };
    const job = (await send('POST', '/jobs', fields)).body as Json;
    expect(job['entity_name']).toBe('nightly crew');
    const triggered = await send('POST', `/jobs/${job['id']}/trigger`, { parameters: { what: 'it' } });
    expect(triggered.body).toMatchObject({ status: 'started' });
    const { execution_id: executionId } = triggered.body as Json;
    expect((await send('GET', `/executions/${executionId}`)).body).toMatchObject({
      execution_type: 'team',
      entity_id: team['id'],
      status: 'pending',
      prompt: 'Do it',
    });
  });
});
