import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrap, createPlatformApiClient, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call } from '../support/http.js';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Platform } from '../support/platform.js';
import { recordSecret } from '../support/run-record.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Json = Record<string, unknown>;
type Lists = ControlPlaneComponents['schemas']['PutContextRequest'];

const CONTEXT = '/api/v1/context/{entity_type}/{entity_id}';
const SKILLS = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills';
const VARIABLES = '/api/v1/execution-environment/{entity_type}/{entity_id}/resolved';
const EMPTY = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };

describe('inherited content of agents and teams, over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;
  let lab: string;
  let factory: string;
  let team: string;
  let project: string;
  let agent: string;
  let round = 0;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  const of = (entity_type: string, entity_id: string) => at({ entity_type, entity_id });
  const read = (type: string, id: string, client = api) => client.GET(CONTEXT, of(type, id));
  const put = (type: string, id: string, body: Lists, client = api) => client.PUT(CONTEXT, { ...of(type, id), body });
  const empty = (type: string, id: string, client = api) => client.DELETE(CONTEXT, of(type, id));
  const removeTeam = (team_id: string) => unwrap(api.DELETE('/api/v1/teams/{team_id}', at({ team_id })));
  const removePolicy = (policy_id: string) => api.DELETE('/api/v1/policies/{policy_id}', at({ policy_id }));

  /** An agent in `lab` whose team has another member in `factory`, and its project. */
  beforeEach(async () => {
    round += 1;
    const variables = (env_vars: Json, secrets: string[] = []) => ({
      execution_environment: { env_vars, secrets },
    });
    const [inLab, inFactory] = await Promise.all([
      unwrap(
        api.POST('/api/v1/environments', {
          body: {
            name: `lab-${round}`,
            ...variables({ A: 'lab', B: 'lab', C: 'lab', D: 'lab', KEY: 'x' }, ['KEY']),
          },
        }),
      ),
      unwrap(api.POST('/api/v1/environments', { body: { name: `factory-${round}` } })),
    ]);
    const crew = { name: 'crew', ...variables({ C: 'team', D: 'team' }) };
    const settings = variables({ B: 'project', C: 'project' });
    const [ofTeam, ofProject] = await Promise.all([
      unwrap(api.POST('/api/v1/teams', { body: crew })),
      unwrap(api.POST('/api/v1/projects', { body: { name: 'P', key: `p-${round}`, settings } })),
    ]);
    [lab, factory, team, project] = [inLab.id, inFactory.id, ofTeam.id, ofProject.id];
    const members = [
      { name: 'other', team_id: team, environment_ids: [factory] },
      {
        name: 'writer',
        team_id: team,
        environment_ids: [`lab-${round}`],
        ...variables({ D: 'agent', N: 1 }),
      },
    ];
    for (const body of members) agent = (await unwrap(api.POST('/api/v1/agents', { body }))).id;
    const body = { agent_id: agent };
    await unwrap(api.POST('/api/v1/projects/{project_id}/agents', at({ project_id: project }, { body })));
  });

  it('has a context that is set in part, read, emptied and returned exactly as sent', async () => {
    const entities = { environment: lab, team, project, agent };
    for (const [type, id] of Object.entries(entities)) {
      const ref = { entity_type: type, entity_id: id };
      expect(await unwrap(read(type, id))).toEqual({ ...ref, ...EMPTY });
      const lists = { knowledge_uuids: ['b', 'a', 'b'], resource_ids: ['r'], policy_ids: [] };
      expect(await unwrap(put(type, id, lists))).toEqual({ ...ref, ...lists });
      const part = { ...lists, resource_ids: [] };
      expect(await unwrap(put(type, id, { resource_ids: null }))).toEqual({ ...ref, ...part });
      expect(await unwrap(read(`${type}s`, id))).toEqual({ ...ref, ...part });
      for (let times = 0; times < 2; times += 1) {
        expect(await unwrap(empty(type, id))).toEqual({ id, deleted: true });
      }
      expect(await unwrap(read(type, id))).toEqual({ ...ref, ...EMPTY });
      for (const missing of [read(type, 'gone'), put(type, 'gone', {}), empty(type, 'gone')]) {
        expect(await refusalOf(missing)).toEqual([404, `${type}_not_found`]);
      }
    }
    expect((await answerOf(read('job', agent))).status).toBe(422);
    expect(await unwrap(read('environment', `lab-${round}`))).toMatchObject({ entity_id: lab });
    // The types of the client forbid this body.
    const body = { knowledge_uuids: ['a', 1], policy_ids: 'x' };
    const rejected = await call('PUT', `${platform.url}/api/v1/context/agent/${agent}`, {
      key: platform.adminKey,
      body,
    });
    expect(rejected.status).toBe(422);
    expect((rejected.body as { detail: Json[] }).detail.map(({ loc }) => loc)).toEqual([
      ['body', 'knowledge_uuids', '1'],
      ['body', 'policy_ids'],
    ]);
  });

  it('accepts only existing policies, requires the scope admin for them, and prevents their deletion', async () => {
    const platformApi = createPlatformApiClient({
      baseUrl: platform.platformApi?.url ?? '',
      apiKey: platform.adminKey,
      retries: null,
    });
    const minting = { name: 'writer', scopes: ['agents:read', 'agents:write'] as never };
    const { key } = await unwrap(platformApi.POST('/api/v1/auth/keys', { body: minting }));
    recordSecret(key);
    const writer = platform.client(key);
    const body = { name: 'guard', policy_content: 'package p\n\nallow := true\n' };
    const { id: policy } = await unwrap(api.POST('/api/v1/policies', { body }));
    const unknown = await answerOf(put('team', team, { policy_ids: [policy, 'gone'] }));
    expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'policy_ids', '1'] }] } });
    const lists = { knowledge_uuids: ['k'], resource_ids: [], policy_ids: [policy] };
    const refused = { status: 403, body: { detail: expect.stringContaining('scope: admin') } };
    expect(await answerOf(put('team', team, lists, writer))).toMatchObject(refused);
    expect(await unwrap(read('team', team))).toMatchObject(EMPTY);
    await unwrap(put('team', team, lists));
    expect(await answerOf(put('team', team, { policy_ids: [] }, writer))).toMatchObject(refused);
    expect(await answerOf(empty('team', team, writer))).toMatchObject(refused);
    const others = { ...lists, knowledge_uuids: ['other'] };
    expect(await unwrap(put('team', team, others, writer))).toMatchObject(others);
    const used = { status: 409, body: { detail: expect.stringContaining(`the context of the team ${team}`) } };
    expect(await answerOf(removePolicy(policy))).toMatchObject(used);
    await removeTeam(team);
    await unwrap(removePolicy(policy));
  });

  it('contains the context of all layers in first-seen order, without duplicates', async () => {
    const set = (type: string, id: string, ...ids: string[]) =>
      unwrap(put(type, id, { knowledge_uuids: ids, resource_ids: [type], policy_ids: [] }));
    await set('agent', agent, 'own', 'k1');
    await set('project', project, 'k4', 'k2');
    await set('environment', factory, 'k3', 'k1');
    await set('environment', lab, 'k1', 'k2');
    const layer = (type: string, id: string, ...ids: string[]): [string, Json] => [
      `${type}:${id}`,
      {
        entity_type: type,
        entity_id: id,
        knowledge_uuids: ids,
        resource_ids: ids.length === 0 ? [] : [type],
        policy_ids: [],
      },
    ];
    const layers = [
      layer('environment', lab, 'k1', 'k2'),
      layer('team', team),
      layer('environment', factory, 'k3', 'k1'),
      layer('project', project, 'k4', 'k2'),
      layer('agent', agent, 'own', 'k1'),
    ];
    const resolve = (agent_id: string) => api.GET('/api/v1/agents/{agent_id}/context/resolved', at({ agent_id }));
    const resolved = await unwrap(resolve(agent));
    expect(resolved).toEqual({
      entity_type: 'agent',
      entity_id: agent,
      environment_id: lab,
      team_id: team,
      project_id: project,
      knowledge_uuids: ['k1', 'k2', 'k3', 'k4', 'own'],
      resource_ids: ['environment', 'project', 'agent'],
      policy_ids: [],
      layers: Object.fromEntries(layers),
    });
    expect(Object.keys(resolved.layers)).toEqual(layers.map(([key]) => key));
    expect(await refusalOf(resolve('gone'))).toEqual([404, 'agent_not_found']);
  });

  it('contains the skills of all layers: of several with the same name the last one, with its source', async () => {
    const skill = async (name: string, level: string): Promise<string> => {
      const body = { name, type: 'own', configuration: { level, kept: true } };
      return (await unwrap(api.POST('/api/v1/skills', { body }))).id;
    };
    const add = (kind: string, id: string, skill_id: string, configuration_override: Json = {}) =>
      unwrap(api.POST(SKILLS, { ...of(kind, id), body: { skill_id, configuration_override } }));
    const search = await skill('search', 'shared');
    await add('environments', lab, search);
    await add('teams', team, search, { level: 'team' });
    await add('environments', factory, await skill('write', 'factory'));
    await add('teams', team, await skill('write', 'team'));
    const own = await skill('own', 'agent');
    await add('agents', agent, own);
    const resolved = (kind: string, id: string) => api.GET(`${SKILLS}/resolved`, of(kind, id));
    const items = async (kind: string, id: string) => {
      const { data = [], response } = await resolved(kind, id);
      expect([response.status, response.headers.get('x-total-count')]).toEqual([200, String(data.length)]);
      return data;
    };
    const ofAgent = await items('agents', agent);
    expect(ofAgent[0]).toEqual({
      id: search,
      name: 'search',
      type: 'own',
      description: null,
      icon: null,
      enabled: true,
      configuration: { level: 'team', kept: true },
      source: `team:${team}`,
      inherited: true,
    });
    expect(ofAgent.slice(1)).toMatchObject([
      { name: 'write', configuration: { level: 'factory' }, source: `environment:${factory}`, inherited: true },
      { id: own, source: `agent:${agent}`, inherited: false },
    ]);
    expect(await items('team', team)).toMatchObject([
      { name: 'write', configuration: { level: 'team' }, source: `team:${team}`, inherited: false },
      { name: 'search', configuration: { level: 'team' }, source: `team:${team}`, inherited: false },
    ]);
    const toolsets = (team_id: string) =>
      api.GET('/api/v1/skills/associations/teams/{team_id}/toolsets/resolved', at({ team_id }, { redirect: 'manual' }));
    const legacy = await answerOf(toolsets(team));
    const successor = `/api/v1/skills/associations/teams/${team}/skills/resolved`;
    expect(legacy.status).toBe(307);
    expect(Object.fromEntries(legacy.headers)).toMatchObject({
      location: successor,
      link: `<${successor}>; rel="successor-version"`,
      deprecation: expect.stringMatching(/^@\d+$/),
      sunset: expect.stringMatching(/GMT$/),
    });
    expect(await refusalOf(toolsets('gone'))).toEqual([404, 'team_not_found']);
    expect((await answerOf(resolved('environments', lab))).status).toBe(422);
  });

  it('contains the variables of the environments, the project, the team and the agent, with secret values for keys that write all layers', async () => {
    const ofAgent = { A: 'lab', B: 'project', C: 'team', D: 'agent', N: '1', KEY: 'x' };
    const resolve = (kind: string, id: string, client = api) => client.GET(VARIABLES, of(kind, id));
    for (const word of ['agents', 'agent']) expect(await unwrap(resolve(word, agent))).toEqual(ofAgent);
    const ofTeam = { A: 'lab', B: 'lab', C: 'team', D: 'team', KEY: 'x' };
    expect(await unwrap(resolve('teams', team))).toEqual(ofTeam);
    const some = platform.client((await new PlatformApi(platform).withScopes('agents:read', 'agents:write')).key);
    expect(await unwrap(resolve('teams', team, some))).toEqual({ ...ofTeam, KEY: '***' });
    expect(await refusalOf(resolve('teams', 'gone'))).toEqual([404, 'team_not_found']);
    expect((await answerOf(resolve('environments', lab))).status).toBe(422);
  });
});
