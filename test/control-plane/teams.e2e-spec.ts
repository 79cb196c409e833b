import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Team = Schemas['TeamResponse'];

const TEAM = '/api/v1/teams/{team_id}';
const MEMBER = '/api/v1/teams/{team_id}/agents/{agent_id}';

const CONFIGURATION = {
  zeta: { kept: [1, { a: null }] },
  member_ids: [] as string[],
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
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  /** For requests that the types of the client forbid. */
  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
  const create = (body: Schemas['CreateTeamRequest']): Promise<Team> => unwrap(api.POST('/api/v1/teams', { body }));
  const read = (team_id: string) => api.GET(TEAM, at({ team_id }));
  const update = (team_id: string, body: Schemas['UpdateTeamRequest']) => api.PATCH(TEAM, at({ team_id }, { body }));
  const execute = (team_id: string, body: Schemas['ExecuteTeamRequest']) =>
    api.POST(`${TEAM}/execute`, at({ team_id }, { body }));
  const readExecution = (execution_id: string) =>
    unwrap(api.GET('/api/v1/executions/{execution_id}', at({ execution_id })));
  const newAgent = (body: Partial<Schemas['CreateAgentRequest']> = {}) =>
    unwrap(api.POST('/api/v1/agents', { body: { name: 'agent', ...body } }));
  const readAgent = (agent_id: string) => unwrap(api.GET('/api/v1/agents/{agent_id}', at({ agent_id })));

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
    const team = created.body as Team;
    expect(JSON.stringify(team.configuration)).toBe(JSON.stringify(configuration));
    expect(JSON.stringify(await unwrap(read(team.id)))).toBe(JSON.stringify(created.body));
    const typed = await create(fields);
    expect({ ...typed, id: team.id, created_at: '', updated_at: '' }).toEqual({
      ...team,
      created_at: '',
      updated_at: '',
    });
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const expected = {
      description: null,
      configuration: {},
      runtime: null,
      skill_ids: [],
      environment_ids: [],
      execution_environment: {},
    };
    const empty = { description: '', configuration: null, environment_ids: null, execution_environment: null };
    for (const body of [{ name: 'bare' }, { ...empty, name: 'bare', skill_ids: null, runtime: null }]) {
      expect(await create(body)).toMatchObject(expected);
    }
    expect((await send('POST', '/teams', { ...empty, name: 'bare', skill_ids: '' })).body).toMatchObject(expected);
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
    const changed = await send('PATCH', `/teams/${team.id}`, body);
    expect(changed.body).toEqual({ ...team, description: null, updated_at: expect.any(String) });
    expect((changed.body as Team).updated_at).not.toBe(team.updated_at);
    const replaced = await unwrap(update(team.id, { configuration: { y: 2 }, status: 'inactive' }));
    expect(replaced).toMatchObject({ configuration: { y: 2 }, status: 'inactive' });
    expect(replaced.configuration).toEqual({ y: 2 });
    expect((await send('PATCH', `/teams/${team.id}`, { status: 'gone' })).status).toBe(422);
  });

  it('are listed newest first, by status with either name of the filter', async () => {
    const older = await create({ name: 'older' });
    const newer = await create({ name: 'newer' });
    for (const { id } of [older, newer]) await unwrap(update(id, { status: 'archived' }));
    for (const filter of [{ status: 'archived' }, { status_filter: 'archived' }] as const) {
      const listed = await answerOf(api.GET('/api/v1/teams', { params: { query: { ...filter, limit: 1 } } }));
      expect(listed.body).toEqual([expect.objectContaining({ id: newer.id })]);
      expect(listed.headers.get('x-total-count')).toBe('2');
    }
    const second = { status: 'archived', skip: 1 } as const;
    expect(await unwrap(api.GET('/api/v1/teams', { params: { query: second } }))).toMatchObject([{ id: older.id }]);
    for (const query of ['status=nonsense', 'limit=0', 'skip=-1']) {
      expect((await send('GET', `/teams?${query}`)).status).toBe(422);
    }
  });

  it('add and remove agents, and return their members each time', async () => {
    const team = await create({ name: 'crew' });
    const agent = await newAgent({ name: 'member' });
    const member = at({ team_id: team.id, agent_id: agent.id });
    const added = await answerOf(api.POST(MEMBER, member));
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      ...team,
      agents: [{ ...agent, team_id: team.id, updated_at: expect.any(String) }],
      updated_at: expect.any(String),
    });
    expect(await readAgent(agent.id)).toMatchObject({ team_id: team.id });
    const newest = await unwrap(api.GET('/api/v1/teams', { params: { query: { limit: 1 } } }));
    expect(newest).toMatchObject([{ agents: [{ id: agent.id }] }]);
    expect(await unwrap(api.DELETE(MEMBER, member))).toMatchObject({ id: team.id, agents: [] });
    expect(await readAgent(agent.id)).toMatchObject({ team_id: null });
    expect((await answerOf(api.DELETE(MEMBER, member))).status).toBe(404);
    const nobody = at({ team_id: team.id, agent_id: 'nobody' });
    expect(await refusalOf(api.POST(MEMBER, nobody))).toEqual([404, 'agent_not_found']);
    const nothing = at({ team_id: 'nothing', agent_id: agent.id });
    expect(await refusalOf(api.POST(MEMBER, nothing))).toEqual([404, 'team_not_found']);
  });

  it('have the agents in member_ids, and ignore ids that name none', async () => {
    const agent = await newAgent({ name: 'listed' });
    const configuration = { metadata: { kept: 1 }, member_ids: [agent.id, 'unknown'] };
    const team = await create({ name: 'crew', configuration });
    expect(team).toMatchObject({ configuration, agents: [agent] });
    const removed = await unwrap(api.DELETE(MEMBER, at({ team_id: team.id, agent_id: agent.id })));
    const left = { metadata: { kept: 1 }, member_ids: ['unknown'] };
    expect(removed).toMatchObject({ agents: [], configuration: left });
  });

  it('are deleted without a body, and leave their members without a team', async () => {
    const { id } = await create({ name: 'gone soon' });
    const agent = await newAgent({ team_id: id });
    const remove = () => answerOf(api.DELETE(TEAM, at({ team_id: id })));
    expect(await remove()).toMatchObject({ status: 204, body: undefined });
    expect((await remove()).status).toBe(404);
    expect(await refusalOf(read(id))).toEqual([404, 'team_not_found']);
    expect(await readAgent(agent.id)).toMatchObject({ team_id: null });
  });

  it('start an execution and return its id', async () => {
    const team = await create({ name: 'runner' });
    const started = await answerOf(execute(team.id, { prompt: 'Go' }));
    expect(started.status).toBe(200);
    const { execution_id: executionId } = started.body as Schemas['StartedExecutionResponse'];
    expect(started.body).toEqual({
      execution_id: expect.any(String),
      workflow_id: executionId,
      status: 'pending',
      message: expect.any(String),
    });
    expect(await readExecution(executionId)).toMatchObject({
      execution_type: 'team',
      entity_id: team.id,
      entity_name: 'runner',
      prompt: 'Go',
    });
  });

  it('reject an execution without a prompt, on an unknown queue or of an unknown team', async () => {
    const { id } = await create({ name: 'runner' });
    expect((await send('POST', `/teams/${id}/execute`)).status).toBe(422);
    expect((await answerOf(execute(id, { prompt: 'Go', worker_queue_id: 'no' }))).status).toBe(404);
    expect(await refusalOf(execute('none', { prompt: 'Go' }))).toEqual([404, 'team_not_found']);
  });

  it('are executed by jobs with planning_mode predefined_team, which show their name', async () => {
    const team = await create({ name: 'nightly crew' });
    const plan = { planning_mode: 'predefined_team', entity_type: 'team', entity_id: team.id } as const;
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Do {{ what }}', ...plan } as const;
    const job = await unwrap(api.POST('/api/v1/jobs', { body: fields }));
    expect(job.entity_name).toBe('nightly crew');
    const trigger = at({ job_id: job.id }, { body: { parameters: { what: 'it' } } });
    const triggered = await unwrap(api.POST('/api/v1/jobs/{job_id}/trigger', trigger));
    expect(triggered).toMatchObject({ status: 'started' });
    expect(await readExecution(triggered.execution_id)).toMatchObject({
      execution_type: 'team',
      entity_id: team.id,
      status: 'pending',
      prompt: 'Do it',
    });
  });
});
