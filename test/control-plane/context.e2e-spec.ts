import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;
const EMPTY = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };

describe('what agents and teams inherit, over HTTP', () => {
  let platform: Platform;
  let lab: string;
  let factory: string;
  let team: string;
  let project: string;
  let agent: string;
  let round = 0;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body });

  async function create(path: string, body: Json): Promise<string> {
    const created = await send('POST', path, body);
    expect(created.status).toBe(201);
    return (created.body as Json)['id'] as string;
  }

  /** An agent in `lab` whose team has another member in `factory`, and its project. */
  beforeEach(async () => {
    round += 1;
    const variables = (env_vars: Json, secrets: string[] = []): Json => ({
      execution_environment: { env_vars, secrets },
    });
    lab = await create('/environments', {
      ...{ name: `lab-${round}`, ...variables({ A: 'lab', B: 'lab', C: 'lab', D: 'lab', KEY: 'x' }, ['KEY']) },
    });
    factory = await create('/environments', { name: `factory-${round}` });
    team = await create('/teams', { name: 'crew', ...variables({ C: 'team', D: 'team' }) });
    project = await create('/projects', {
      ...{ name: 'P', key: `p-${round}`, settings: variables({ B: 'project', C: 'project' }) },
    });
    await create('/agents', { name: 'other', team_id: team, environment_ids: [factory] });
    agent = await create('/agents', {
      ...{ name: 'writer', team_id: team, environment_ids: [`lab-${round}`], ...variables({ D: 'agent', N: 1 }) },
    });
    await send('POST', `/projects/${project}/agents`, { agent_id: agent });
  });

  it('is a context that is set in part, read, emptied and echoed exactly', async () => {
    const entities = { environment: lab, team, project, agent };
    for (const [type, id] of Object.entries(entities)) {
      const path = `/context/${type}/${id}`;
      const ref = { entity_type: type, entity_id: id };
      expect((await send('GET', path)).body).toEqual({ ...ref, ...EMPTY });
      const lists = { knowledge_uuids: ['b', 'a', 'b'], resource_ids: ['r'], policy_ids: [] };
      expect((await send('PUT', path, lists)).body).toEqual({ ...ref, ...lists });
      const part = { ...lists, resource_ids: [] };
      expect((await send('PUT', path, { resource_ids: [], knowledge_uuids: null })).body).toEqual({ ...ref, ...part });
      expect((await send('GET', `/context/${type}s/${id}`)).body).toEqual({ ...ref, ...part });
      const deleted = { status: 200, body: { id, deleted: true } };
      expect(await send('DELETE', path)).toMatchObject(deleted);
      expect(await send('DELETE', path)).toMatchObject(deleted);
      expect((await send('GET', path)).body).toEqual({ ...ref, ...EMPTY });
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const missing = await send(method, `/context/${type}/gone`, method === 'PUT' ? {} : undefined);
        expect([missing.status, missing.headers.get('x-error-code')]).toEqual([404, `${type}_not_found`]);
      }
    }
    expect((await send('GET', `/context/job/${agent}`)).status).toBe(404);
    expect((await send('GET', `/context/environment/lab-${round}`)).body).toMatchObject({ entity_id: lab });
    const rejected = await send('PUT', `/context/agent/${agent}`, { knowledge_uuids: ['a', 1], policy_ids: 'x' });
    expect(rejected.status).toBe(422);
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc }) => loc)).toEqual([
      ['body', 'knowledge_uuids', '1'],
      ['body', 'policy_ids'],
    ]);
  });

  it('names policies that exist, which takes the scope admin, and keeps them from being deleted', async () => {
    const url = `${platform.platformApi?.url}/api/v1/auth/keys`;
    const body = { name: 'writer', scopes: ['agents:read', 'agents:write'] };
    const minted = await call('POST', url, { key: platform.adminKey, scheme: 'UserKey', body });
    const key = (minted.body as Json)['key'] as string;
    const write = (method: string, lists?: Json): Promise<HttpResponse> =>
      call(method, `${platform.url}/api/v1/context/team/${team}`, { key, body: lists });
    const policy = await create('/policies', { name: 'guard', policy_content: 'package p\n\nallow := true\n' });
    const unknown = await send('PUT', `/context/team/${team}`, { policy_ids: [policy, 'gone'] });
    expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'policy_ids', '1'] }] } });
    const lists = { knowledge_uuids: ['k'], resource_ids: [], policy_ids: [policy] };
    const refused = { status: 403, body: { detail: expect.stringContaining('scope: admin') } };
    expect(await write('PUT', lists)).toMatchObject(refused);
    expect((await send('GET', `/context/team/${team}`)).body).toMatchObject(EMPTY);
    expect((await send('PUT', `/context/team/${team}`, lists)).status).toBe(200);
    expect(await write('PUT', { policy_ids: [] })).toMatchObject(refused);
    expect(await write('DELETE')).toMatchObject(refused);
    const others = { ...lists, knowledge_uuids: ['other'] };
    expect(await write('PUT', others)).toMatchObject({ status: 200, body: others });
    const named = `the context of the team ${team}`;
    const used = { status: 409, body: { detail: expect.stringContaining(named) } };
    expect(await send('DELETE', `/policies/${policy}`)).toMatchObject(used);
    await send('DELETE', `/teams/${team}`);
    expect((await send('DELETE', `/policies/${policy}`)).status).toBe(200);
  });

  it('is the context of all layers in their order, first-seen and without duplicates', async () => {
    const put = (type: string, id: string, ...ids: string[]): Promise<HttpResponse> =>
      send('PUT', `/context/${type}/${id}`, { knowledge_uuids: ids, resource_ids: [type], policy_ids: [] });
    await put('agent', agent, 'own', 'k1');
    await put('project', project, 'k4', 'k2');
    await put('environment', factory, 'k3', 'k1');
    await put('environment', lab, 'k1', 'k2');
    const layer = (type: string, id: string, ...ids: string[]): [string, Json] => [
      `${type}:${id}`,
      {
        ...{ entity_type: type, entity_id: id, knowledge_uuids: ids },
        ...{ resource_ids: ids.length === 0 ? [] : [type], policy_ids: [] },
      },
    ];
    const layers = [
      layer('environment', lab, 'k1', 'k2'),
      layer('team', team),
      layer('environment', factory, 'k3', 'k1'),
      layer('project', project, 'k4', 'k2'),
      layer('agent', agent, 'own', 'k1'),
    ];
    const resolved = await send('GET', `/agents/${agent}/context/resolved`);
    expect(resolved.body).toEqual({
      ...{ entity_type: 'agent', entity_id: agent, environment_id: lab, team_id: team, project_id: project },
      knowledge_uuids: ['k1', 'k2', 'k3', 'k4', 'own'],
      resource_ids: ['environment', 'project', 'agent'],
      policy_ids: [],
      layers: Object.fromEntries(layers),
    });
    expect(Object.keys((resolved.body as { layers: Json }).layers)).toEqual(layers.map(([key]) => key));
    expect((await send('GET', '/agents/gone/context/resolved')).status).toBe(404);
  });

  it('is the skills of all layers: the latest one of a name wins, and says where it comes from', async () => {
    const skill = (name: string, level: string): Promise<string> =>
      create('/skills', { name, type: 'own', configuration: { level, kept: true } });
    const add = (kind: string, id: string, skill_id: string, configuration_override: Json = {}): Promise<string> =>
      create(`/skills/associations/${kind}/${id}/skills`, { skill_id, configuration_override });
    const search = await skill('search', 'shared');
    await add('environments', lab, search);
    await add('teams', team, search, { level: 'team' });
    await add('environments', factory, await skill('write', 'factory'));
    await add('teams', team, await skill('write', 'team'));
    const own = await skill('own', 'agent');
    await add('agents', agent, own);
    const items = async (path: string): Promise<Json[]> => {
      const { status, body, headers } = await send('GET', `/skills/associations/${path}/skills/resolved`);
      expect([status, headers.get('x-total-count')]).toEqual([200, String((body as Json[]).length)]);
      return body as Json[];
    };
    const ofAgent = await items(`agents/${agent}`);
    expect(ofAgent[0]).toEqual({
      ...{ id: search, name: 'search', type: 'own', description: null, icon: null, enabled: true },
      ...{ configuration: { level: 'team', kept: true }, source: `team:${team}`, inherited: true },
    });
    expect(ofAgent.slice(1)).toMatchObject([
      { name: 'write', configuration: { level: 'factory' }, source: `environment:${factory}`, inherited: true },
      { id: own, source: `agent:${agent}`, inherited: false },
    ]);
    expect(await items(`team/${team}`)).toMatchObject([
      { name: 'write', configuration: { level: 'team' }, source: `team:${team}`, inherited: false },
      { name: 'search', configuration: { level: 'team' }, source: `team:${team}`, inherited: false },
    ]);
    const legacy = await send('GET', `/skills/associations/teams/${team}/toolsets/resolved`);
    const successor = `/api/v1/skills/associations/teams/${team}/skills/resolved`;
    expect(legacy.status).toBe(307);
    expect(Object.fromEntries(legacy.headers)).toMatchObject({
      ...{ location: successor, link: `<${successor}>; rel="successor-version"` },
      ...{ deprecation: expect.stringMatching(/^@\d+$/), sunset: expect.stringMatching(/GMT$/) },
    });
    expect((await send('GET', '/skills/associations/teams/gone/toolsets/resolved')).status).toBe(404);
    expect((await send('GET', `/skills/associations/environments/${lab}/skills/resolved`)).status).toBe(404);
  });

  it('is the variables of the environments, the project, the team and the agent, with secret values redacted', async () => {
    const ofAgent = { A: 'lab', B: 'project', C: 'team', D: 'agent', N: '1', KEY: '[redacted]' };
    for (const word of ['agents', 'agent']) {
      expect((await send('GET', `/execution-environment/${word}/${agent}/resolved`)).body).toEqual(ofAgent);
    }
    const ofTeam = { A: 'lab', B: 'lab', C: 'team', D: 'team', KEY: '[redacted]' };
    expect((await send('GET', `/execution-environment/teams/${team}/resolved`)).body).toEqual(ofTeam);
    expect((await send('GET', '/execution-environment/teams/gone/resolved')).status).toBe(404);
    expect((await send('GET', `/execution-environment/environments/${lab}/resolved`)).status).toBe(404);
  });
});
