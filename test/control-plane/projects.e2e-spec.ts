import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Project = Schemas['ProjectResponse'];

const PROJECT = '/api/v1/projects/{project_id}';

describe('projects over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  /** For bodies that the types of the client forbid. */
  const send = (method: string, path: string, body: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });
  const create = (body: Schemas['CreateProjectRequest']): Promise<Project> =>
    unwrap(api.POST('/api/v1/projects', { body }));
  const update = (project_id: string, body: Schemas['UpdateProjectRequest']): Promise<Project> =>
    unwrap(api.PATCH(PROJECT, at({ project_id }, { body })));
  const addAgent = (project_id: string, agent_id: string) =>
    api.POST(`${PROJECT}/agents`, at({ project_id }, { body: { agent_id } }));

  it('are created with every field and returned exactly as sent', async () => {
    const fields = {
      name: 'Mobile ',
      key: ' Mobile App',
      description: 'd',
      goals: '- ship\n',
      visibility: 'org',
      default_model: 'acme/large',
      settings: {
        z: { y: 1 },
        environment_ids: ['default', 'default'],
        execution_environment: { env_vars: { A: '1' } },
      },
      restrict_to_environment: true,
    };
    const created = await send('POST', '/projects', {
      ...fields,
      id: 'mine',
      status: 'archived',
      owner_id: 'me',
      agent_count: 7,
      is_default: true,
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'active',
      owner_id: expect.any(String),
      owner_email: null,
      policy_ids: [],
      agent_count: 0,
      team_count: 0,
      archived_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { id: project_id } = created.body as Project;
    const read = await unwrap(api.GET(PROJECT, at({ project_id })));
    expect(JSON.stringify(read)).toBe(JSON.stringify(created.body));
  });

  it('have null, {} and [] for omitted fields and for "" or null, with which a PATCH changes nothing', async () => {
    const minimal = { name: 'bare', key: 'bare' };
    const values = {
      description: null,
      goals: null,
      default_model: null,
      settings: {},
      policy_ids: [],
      restrict_to_environment: false,
      visibility: 'private',
    };
    const created = await create(minimal);
    expect(created).toMatchObject(values);
    const names = Object.keys(values);
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const blanks = Object.fromEntries(names.map((name) => [name, '']));
    for (const [key, body] of Object.entries({ nulls, blanks })) {
      const answer = await send('POST', '/projects', { ...body, name: 'n', key });
      expect(answer).toMatchObject({ status: 201, body: values });
    }
    for (const body of [{}, minimal, nulls, blanks, { name: '', key: null, status: '' }]) {
      const updated = await send('PATCH', `/projects/${created.id}`, body);
      expect(updated).toMatchObject({ status: 200, body: { ...created, updated_at: expect.any(String) } });
    }
  });

  it('report every fault, and the field whose value is a duplicate', async () => {
    const invalid = await send('POST', '/projects', {
      key: 'x',
      visibility: 'all',
      restrict_to_environment: 'no',
      policy_ids: [1],
      settings: { environment_ids: [7], execution_environment: { secrets: 'A' } },
    });
    expect(invalid.status).toBe(422);
    const faults = (invalid.body as { detail: { loc: string[]; type: string }[] }).detail;
    expect(faults.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()).toEqual([
      'body.key: string_too_short',
      'body.name: missing',
      'body.policy_ids.0: string_type',
      'body.restrict_to_environment: bool_type',
      'body.settings.environment_ids.0: string_type',
      'body.settings.execution_environment.secrets: list_type',
      'body.visibility: enum',
    ]);
    const long = api.POST('/api/v1/projects', { body: { name: 'n', key: 'x'.repeat(51) } });
    expect((await answerOf(long)).status).toBe(422);
    await create({ name: 'n', key: 'same' });
    const second = api.POST('/api/v1/projects', { body: { name: 'n', key: 'same' } });
    expect(await refusalOf(second)).toEqual([409, 'project_key_taken']);
  });

  it('are updated partially: "" clears texts; archiving is undone by another status', async () => {
    const before = await create({ name: 'n', key: 'patched', description: 'd', settings: { a: 1 } });
    const archived = await update(before.id, { description: '', status: 'archived', settings: { b: 2 } });
    expect(archived).toEqual({
      ...before,
      description: null,
      settings: { b: 2 },
      status: 'archived',
      archived_at: expect.any(String),
      updated_at: expect.any(String),
    });
    for (const query of [{ status: 'archived' }, { status_filter: 'archived' }] as const) {
      expect(await unwrap(api.GET('/api/v1/projects', { params: { query } }))).toEqual([archived]);
    }
    const ignored = { status: 'active', archived_at: '2020-01-01T00:00:00.000Z' };
    const revived = await send('PATCH', `/projects/${before.id}`, ignored);
    expect(revived.body).toMatchObject({ status: 'active', archived_at: null });
  });

  it('include a default one, created by the first request for it', async () => {
    const [one, ...others] = await Promise.all(
      Array.from({ length: 50 }, () => unwrap(api.GET('/api/v1/projects/default'))),
    );
    expect(one).toMatchObject({ key: 'default', status: 'active' });
    for (const other of others) expect(other).toEqual(one);
  });

  it('list their teams and agents, whose responses contain the projects', async () => {
    const project = await unwrap(api.POST('/api/v1/projects', { body: { name: 'Members', key: 'members' } }));
    const team = await unwrap(api.POST('/api/v1/teams', { body: { name: 'crew' } }));
    const agent = await unwrap(api.POST('/api/v1/agents', { body: { name: 'one', team_id: team.id } }));
    const [ofProject, ofTeam, ofAgent] = [
      { path: { project_id: project.id } },
      { path: { project_id: project.id, team_id: team.id } },
      { path: { project_id: project.id, agent_id: agent.id } },
    ];
    const read = (): Promise<unknown> => unwrap(api.GET('/api/v1/projects/{project_id}', { params: ofProject }));
    const shown = [{ id: project.id, name: 'Members', key: 'members', status: 'active' }];
    const addTeam = { params: ofProject, body: { team_id: team.id, role: 'owner' } };
    const added = await unwrap(api.POST('/api/v1/projects/{project_id}/teams', addTeam));
    expect(added).toEqual({
      id: expect.any(String),
      project_id: project.id,
      team_id: team.id,
      role: 'owner',
      added_at: expect.any(String),
      added_by: project.owner_id,
      team: await unwrap(api.GET('/api/v1/teams/{team_id}', { params: { path: { team_id: team.id } } })),
    });
    expect(added.team).toMatchObject({ id: team.id, agents: [{ id: agent.id }], projects: shown });
    const again = api.POST('/api/v1/projects/{project_id}/teams', addTeam);
    expect(await refusalOf(again)).toEqual([409, 'project_member_exists']);
    const member = await unwrap(addAgent(project.id, agent.id));
    expect(member).toMatchObject({ agent_id: agent.id, role: null, agent: { id: agent.id, projects: shown } });
    const found = await unwrap(api.GET('/api/v1/projects/{project_id}/agents/{agent_id}', { params: ofAgent }));
    expect(found).toEqual(member);
    const listed = await api.GET('/api/v1/projects/{project_id}/teams', { params: ofProject });
    expect(listed.response.headers.get('x-total-count')).toBe('1');
    expect(listed.data).toMatchObject([{ id: added.id, team: { id: team.id } }]);
    expect(await read()).toMatchObject({ agent_count: 1, team_count: 1 });
    await unwrap(api.DELETE('/api/v1/projects/{project_id}/teams/{team_id}', { params: ofTeam }));
    const repeated = api.DELETE('/api/v1/projects/{project_id}/teams/{team_id}', { params: ofTeam });
    expect((await answerOf(repeated)).status).toBe(404);
    await unwrap(api.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agent.id } } }));
    expect(await read()).toMatchObject({ agent_count: 0, team_count: 0 });
    expect(await refusalOf(addAgent(project.id, agent.id))).toEqual([404, 'agent_not_found']);
    expect((await send('POST', `/projects/${project.id}/teams`, {})).status).toBe(422);
  });

  it('accept only existing policies, which then cannot be deleted', async () => {
    const content = { name: 'guard', policy_content: 'package p\n\nallow := true\n' };
    const policy = await unwrap(api.POST('/api/v1/policies', { body: content }));
    const body = { name: 'n', key: 'guarded', policy_ids: [policy.id, 'unknown'] };
    expect(await answerOf(api.POST('/api/v1/projects', { body }))).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'policy_ids', '1'], msg: 'There is no policy unknown' }] },
    });
    const project = await create({ ...body, policy_ids: [policy.id] });
    expect(project.policy_ids).toEqual([policy.id]);
    const agent = await unwrap(api.POST('/api/v1/agents', { body: { name: 'a' } }));
    await unwrap(addAgent(project.id, agent.id));
    const source = { entity_type: 'project', entity_id: project.id };
    const ofAgent = at({ entity_type: 'agent', entity_id: agent.id });
    const resolved = await unwrap(api.GET('/api/v1/policies/resolved/{entity_type}/{entity_id}', ofAgent));
    expect(resolved).toMatchObject([{ policy_id: policy.id, source, sources: [source] }]);
    const input = { ...ofAgent, body: { input_data: {} } };
    const evaluated = await unwrap(api.POST('/api/v1/policies/evaluate/{entity_type}/{entity_id}', input));
    expect(evaluated).toMatchObject({ policy_results: { [policy.id]: { source, sources: [source] } } });
    const remove = () => api.DELETE('/api/v1/policies/{policy_id}', at({ policy_id: policy.id }));
    const refused = await answerOf(remove());
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('the project guarded') } });
    expect(refused.headers.get('x-error-code')).toBe('policy_in_use');
    await update(project.id, { policy_ids: [] });
    await unwrap(remove());
  });

  it('are deleted without a body, and their teams stay', async () => {
    const { id: project_id } = await unwrap(api.POST('/api/v1/projects', { body: { name: 'n', key: 'short-lived' } }));
    const { id: team_id } = await unwrap(api.POST('/api/v1/teams', { body: { name: 'crew' } }));
    const added = { params: { path: { project_id } }, body: { team_id } };
    await unwrap(api.POST('/api/v1/projects/{project_id}/teams', added));
    const remove = () => answerOf(api.DELETE(PROJECT, at({ project_id })));
    expect(await remove()).toMatchObject({ status: 204, body: undefined });
    expect((await remove()).status).toBe(404);
    expect((await answerOf(api.GET(`${PROJECT}/teams`, at({ project_id })))).status).toBe(404);
    const team = await unwrap(api.GET('/api/v1/teams/{team_id}', { params: { path: { team_id } } }));
    expect(team.projects).toEqual([]);
  });
});
