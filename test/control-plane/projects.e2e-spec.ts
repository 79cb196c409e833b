import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('projects over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });

  afterAll(() => platform.stop());

  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> => call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, headers });

  const create = async (path: string, body: Json): Promise<Json> => {
    const { status, body: created } = await send('POST', path, body);
    expect(status).toBe(201);
    return created as Json;
  };

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
      ...{ id: 'mine', status: 'archived', owner_id: 'me', agent_count: 7, is_default: true },
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
    const read = await send('GET', `/projects/${(created.body as Json)['id']}`);
    expect(JSON.stringify(read.body)).toBe(JSON.stringify(created.body));
  });

  it('have null, {} and [] for omitted fields and for "" or null, with which a PATCH changes nothing', async () => {
    const minimal = { name: 'bare', key: 'bare' };
    const values = {
      ...{ description: null, goals: null, default_model: null, settings: {}, policy_ids: [] },
      ...{ restrict_to_environment: false, visibility: 'private' },
    };
    const created = await create('/projects', minimal);
    expect(created).toMatchObject(values);
    const names = Object.keys(values);
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const blanks = Object.fromEntries(names.map((name) => [name, '']));
    expect(await create('/projects', { ...nulls, name: 'n', key: 'nulls' })).toMatchObject(values);
    expect(await create('/projects', { ...blanks, name: 'n', key: 'blanks' })).toMatchObject(values);
    for (const body of [{}, minimal, nulls, blanks, { name: '', key: null, status: '' }]) {
      const updated = await send('PATCH', `/projects/${created['id']}`, body);
      expect(updated).toMatchObject({ status: 200, body: { ...created, updated_at: expect.any(String) } });
    }
  });

  it('name every fault, and the field that is a duplicate', async () => {
    const invalid = await send('POST', '/projects', {
      ...{ key: 'x', visibility: 'all', restrict_to_environment: 'no', policy_ids: [1] },
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
    expect((await send('POST', '/projects', { name: 'n', key: 'x'.repeat(51) })).status).toBe(422);
    await create('/projects', { name: 'n', key: 'same' });
    const second = await send('POST', '/projects', { name: 'n', key: 'same' });
    expect(second.status).toBe(409);
    expect(second.headers.get('x-error-code')).toBe('project_key_taken');
  });

  it('are updated partially: "" clears texts; archiving is undone by another status', async () => {
    const before = await create('/projects', { name: 'n', key: 'patched', description: 'd', settings: { a: 1 } });
    const path = `/projects/${before['id']}`;
    const archived = await send('PATCH', path, { description: '', status: 'archived', settings: { b: 2 } });
    expect(archived.body).toEqual({
      ...before,
      description: null,
      settings: { b: 2 },
      status: 'archived',
      archived_at: expect.any(String),
      updated_at: expect.any(String),
    });
    for (const name of ['status', 'status_filter']) {
      expect((await send('GET', `/projects?${name}=archived`)).body).toEqual([archived.body]);
    }
    const revived = await send('PATCH', path, { status: 'active', archived_at: '2020-01-01T00:00:00.000Z' });
    expect(revived.body).toMatchObject({ status: 'active', archived_at: null });
  });

  it('include a default one, created by the first request for it', async () => {
    const [one, ...others] = await Promise.all(Array.from({ length: 10 }, () => send('GET', '/projects/default')));
    expect(one).toMatchObject({ status: 200, body: { key: 'default', status: 'active' } });
    for (const other of others) expect(other.body).toEqual(one?.body);
  });

  it('show their teams and agents, which show them', async () => {
    const project = await create('/projects', { name: 'Members', key: 'members' });
    const path = `/projects/${project['id']}`;
    const team = await create('/teams', { name: 'crew' });
    const agent = await create('/agents', { name: 'one', team_id: team['id'] });
    const shown = [{ id: project['id'], name: 'Members', key: 'members', status: 'active' }];
    const added = await create(`${path}/teams`, { team_id: team['id'], role: 'owner' });
    expect(added).toEqual({
      ...{ id: expect.any(String), project_id: project['id'], team_id: team['id'], role: 'owner' },
      ...{ added_at: expect.any(String), added_by: project['owner_id'] },
      team: (await send('GET', `/teams/${team['id']}`)).body,
    });
    expect(added['team']).toMatchObject({ id: team['id'], agents: [{ id: agent['id'] }], projects: shown });
    const again = await send('POST', `${path}/teams`, { team_id: team['id'] });
    expect([again.status, again.headers.get('x-error-code')]).toEqual([409, 'project_member_exists']);
    const member = await create(`${path}/agents`, { agent_id: agent['id'] });
    expect(member).toMatchObject({ agent_id: agent['id'], role: null, agent: { id: agent['id'], projects: shown } });
    expect((await send('GET', `${path}/agents/${agent['id']}`)).body).toEqual(member);
    const listed = await send('GET', `${path}/teams`);
    expect(listed.headers.get('x-total-count')).toBe('1');
    expect(listed.body).toMatchObject([{ id: added['id'], team: { id: team['id'] } }]);
    expect((await send('GET', path)).body).toMatchObject({ agent_count: 1, team_count: 1 });
    expect((await send('DELETE', `${path}/teams/${team['id']}`)).status).toBe(204);
    expect((await send('DELETE', `${path}/teams/${team['id']}`)).status).toBe(404);
    await send('DELETE', `/agents/${agent['id']}`);
    expect((await send('GET', path)).body).toMatchObject({ agent_count: 0, team_count: 0 });
    expect((await send('POST', `${path}/agents`, { agent_id: agent['id'] })).status).toBe(404);
    expect((await send('POST', `${path}/teams`, {})).status).toBe(422);
  });

  it('name policies that exist and then cannot be deleted', async () => {
    const policy = await create('/policies', { name: 'guard', policy_content: 'package p\n\nallow := true\n' });
    const policy_ids = [policy['id'], 'unknown'];
    const rejected = await send('POST', '/projects', { name: 'n', key: 'guarded', policy_ids });
    expect(rejected).toMatchObject({
      ...{ status: 422, body: { detail: [{ loc: ['body', 'policy_ids', '1'], msg: 'There is no policy unknown' }] } },
    });
    const project = await create('/projects', { name: 'n', key: 'guarded', policy_ids: [policy['id']] });
    expect(project['policy_ids']).toEqual([policy['id']]);
    const agent = await create('/agents', { name: 'a' });
    await create(`/projects/${project['id']}/agents`, { agent_id: agent['id'] });
    const source = { entity_type: 'project', entity_id: project['id'] };
    const resolved = await send('GET', `/policies/resolved/agent/${agent['id']}`);
    expect(resolved.body).toMatchObject([{ policy_id: policy['id'], source, sources: [source] }]);
    const evaluated = await send('POST', `/policies/evaluate/agent/${agent['id']}`, { input_data: {} });
    expect(evaluated.body).toMatchObject({ policy_results: { [String(policy['id'])]: { source, sources: [source] } } });
    const refused = await send('DELETE', `/policies/${policy['id']}`);
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('the project guarded') } });
    expect(refused.headers.get('x-error-code')).toBe('policy_in_use');
    await send('PATCH', `/projects/${project['id']}`, { policy_ids: [] });
    expect((await send('DELETE', `/policies/${policy['id']}`)).status).toBe(200);
  });

  it('are deleted without a body, and their teams stay', async () => {
    const project = await create('/projects', { name: 'n', key: 'short-lived' });
    const path = `/projects/${project['id']}`;
    const team = await create('/teams', { name: 'crew' });
    await create(`${path}/teams`, { team_id: team['id'] });
    expect(await send('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    expect((await send('DELETE', path)).status).toBe(404);
    expect((await send('GET', `${path}/teams`)).status).toBe(404);
    expect((await send('GET', `/teams/${team['id']}`)).body).toMatchObject({ projects: [] });
  });
});
