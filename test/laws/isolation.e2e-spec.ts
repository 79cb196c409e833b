import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { Estate } from '../support/estate.js';
import { call, type Answer } from '../support/http.js';
import { Platform } from '../support/platform.js';

jest.setTimeout(90_000);

interface Route extends Operation {
  readonly api: ApiName;
}

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
const routes: readonly Route[] = APIS.flatMap((api) => Contract.of(api).operations.map((route) => ({ ...route, api })));
const withKey = routes.filter(({ scope }) => scope !== 'none');
const owned = withKey.filter(({ path }) => Estate.ownedIn(path).length > 0);
const titled = (some: readonly Route[]): [string, Route][] =>
  some.map((route) => [`${route.api} ${route.method} ${route.path}`, route]);

/** Bodies that pass, for routes that take one; what they would change is visible afterwards. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api/v1/executions/{execution_id}/events': { event_type: 'intruder' },
  'PATCH /api/v1/executions/{execution_id}': { status: 'running' },
  'PATCH /api/v1/analytics/tasks/{task_id}': { status: 'completed' },
  'PATCH /api/v1/policies/associations/{association_id}': { priority: 7 },
  'PUT /api/v1/policies/associations/{association_id}': { priority: 7 },
  'PATCH /api/v1/executions/{execution_id}/status': { status: 'running' },
  'POST /api/v1/executions/{execution_id}/job/{job_id}/status': { status: 'running' },
  'POST /api/v1/executions/{execution_id}/message': { message: 'intruder' },
  'POST /api/v1/environments/{environment_id}/worker-queues': { name: 'intruder' },
  'POST /api/v1/agents/{agent_id}/execute': { prompt: 'intruder' },
  'POST /api/v1/teams/{team_id}/execute': { prompt: 'intruder' },
  'POST /api/v1/policies/check-authorization/{entity_type}/{entity_id}': { action: 'intrude' },
  'POST /api/v1/policies/{policy_id}/validate': { policy_content: 'package intruder' },
  'POST /api/v1/workers/{worker_id}/poll': { wait_seconds: 0 },
};
const CHANGES = { name: 'intruder', label: 'intruder', description: 'intruder' };

/** Fields of bodies that name what somebody may own, and a body that passes but for them. */
const REFERENCES: Readonly<Record<string, (id: string, own: Estate) => object>> = {
  'POST /api/v1/agents model_id': (id) => ({ name: 'a', model_id: id }),
  'POST /api/v1/agents team_id': (id) => ({ name: 'a', team_id: id }),
  'POST /api/v1/agents environment_ids': (id) => ({ name: 'a', environment_ids: [id] }),
  'PATCH /api/v1/agents/{agent_id} model_id': (id) => ({ model_id: id }),
  'PATCH /api/v1/agents/{agent_id} team_id': (id) => ({ team_id: id }),
  'PATCH /api/v1/agents/{agent_id} environment_ids': (id) => ({ environment_ids: [id] }),
  'POST /api/v1/agents/{agent_id}/execute worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/agents/{agent_id}/execute parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/teams/{team_id}/execute worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/teams/{team_id}/execute parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/workers/register environment_name': (id) => ({ environment_name: id }),
  'POST /api/v1/workers/register worker_queue_name': (id) => ({ worker_queue_name: id }),
  'POST /api/v1/workers/heartbeat worker_id': (id) => ({ worker_id: id }),
  'POST /api/v1/policies/associations entity_id': (id, own) => ({
    ...{ entity_type: 'agent', entity_id: id, policy_id: own.id('policy_id') },
  }),
  'POST /api/v1/policies/associations policy_id': (id, own) => ({
    ...{ entity_type: 'agent', entity_id: own.id('agent_id'), policy_id: id },
  }),
  'POST /api/v1/policies/evaluate/{entity_type}/{entity_id} policy_ids': (id) => ({ policy_ids: [id] }),
  'POST /api/v1/executions/create execution_id': (id) => ({ prompt: 'p', execution_id: id }),
  'POST /api/v1/executions/create entity_id': (id) => ({ prompt: 'p', entity_id: id }),
  'POST /api/v1/executions/create job_id': (id) => ({ prompt: 'p', job_id: id }),
  'POST /api/v1/executions/create parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/jobs entity_id': (id) => ({ ...JOB, entity_id: id }),
  'POST /api/v1/jobs worker_queue_name': (id, own) => ({
    ...{ ...JOB, entity_id: own.id('agent_id'), executor_type: 'specific_queue', worker_queue_name: id },
  }),
  'POST /api/v1/jobs environment_name': (id, own) => ({
    ...{ ...JOB, entity_id: own.id('agent_id'), executor_type: 'environment', environment_name: id },
  }),
  'PATCH /api/v1/jobs/{job_id} entity_id': (id) => ({ entity_id: id }),
  'PATCH /api/v1/jobs/{job_id} worker_queue_name': (id) => ({ executor_type: 'specific_queue', worker_queue_name: id }),
  'PATCH /api/v1/jobs/{job_id} environment_name': (id) => ({ executor_type: 'environment', environment_name: id }),
  'POST /api/v1/analytics/tasks execution_id': (id) => ({ execution_id: id, task_description: 'x' }),
  'POST /api/v1/analytics/batch execution_id': (id) => ({ execution_id: id, tasks: [] }),
  'POST /api/v1/tasks agent_id': (id) => ({ name: 't', agent_id: id }),
};
const JOB = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_type: 'agent' };
/** Names that a client gives, or that lead nowhere yet. */
const FREE_FIELDS = new Set(['skill_ids', 'session_id', 'user_id', 'task_id', 'worker_token']);
const NAMES_SOMETHING = /(_id|_ids|^worker_queue_name|^environment_name|_token)$/;

describe('two organisations', () => {
  let platform: Platform;
  let mine: Estate;
  let theirs: Estate;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true, env: { DEFAULT_MODEL: 'development-model' } });
    mine = await Estate.make(platform, platform.createOrganization('mine').adminKey);
    theirs = await Estate.make(platform, platform.createOrganization('theirs').adminKey);
    before = await everythingOf(mine);
  });

  afterAll(() => platform.stop());

  function ask(route: Route, key: string | undefined, path: string, body?: object): Promise<Answer> {
    const [url, scheme] =
      route.api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    const sent = body === undefined ? {} : { body };
    return call(route.method, url + path, { scheme, ...(key === undefined ? {} : { key }), ...sent });
  }

  function bodyOf(route: Route): object | undefined {
    if (route.body === undefined) return undefined;
    return BODIES[`${route.method} ${route.path}`] ?? CHANGES;
  }

  /** What every route that reads says to the owner. */
  async function everythingOf(estate: Estate): Promise<Record<string, unknown>> {
    const read: Record<string, unknown> = {};
    for (const route of withKey) {
      if (route.method !== 'GET' || route.path.endsWith('/stream') || route.path.includes('/auth/')) continue;
      const { status, body } = await ask(route, estate.key, estate.path(route.path));
      expect([route.path, status]).toEqual([route.path, 200]);
      read[`${route.api} ${route.path}`] = body;
    }
    return read;
  }

  it.each(titled(owned))('%s takes what the other one owns for what is not there', async (_title, route) => {
    for (const parameter of Estate.ownedIn(route.path)) {
      const id = mine.idIn(route.path, parameter);
      const [foreign, missing] = await Promise.all(
        [id, notThere(id)].map(async (value) => {
          const path = theirs.path(route.path, { [parameter]: value });
          const { status, body } = await ask(route, theirs.key, path, bodyOf(route));
          return { status, body: JSON.stringify(body).replaceAll(value, '…') };
        }),
      );
      expect(foreign).toEqual(missing);
      expect(foreign?.status).toBe(404);
    }
  });

  it('list nothing of each other, whatever they filter by', async () => {
    const lists = withKey.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    for (const route of lists) {
      const filters = route.parameters.filter(({ in: where, name }) => where === 'query' && name.endsWith('_id'));
      const queries = [
        '',
        ...filters.flatMap(({ name }) => mine.all.map((id) => `?${name}=${encodeURIComponent(id)}`)),
      ];
      for (const query of queries) {
        const text = JSON.stringify((await ask(route, theirs.key, route.path + query)).body);
        expect(mine.all.filter((id) => text.includes(id) && !query.includes(id))).toEqual([]);
      }
    }
  });

  it('own no field of a body that the matrix does not know', () => {
    const known = new Set(Object.keys(REFERENCES));
    const named = withKey.flatMap((route) => {
      const contract = Contract.of(route.api);
      const { properties = {} } = contract.resolve(route.body ?? {}) as { properties?: object };
      const fields = Object.keys(properties).filter((name) => NAMES_SOMETHING.test(name) && !FREE_FIELDS.has(name));
      return fields.map((field) => `${route.method} ${route.path} ${field}`);
    });
    expect(named.sort()).toEqual([...known].sort());
  });

  it.each(Object.keys(REFERENCES))('%s takes what the other one owns for what is not there', async (reference) => {
    const [method, path, field] = reference.split(' ');
    const route = withKey.find((candidate) => candidate.method === method && candidate.path === path);
    if (route === undefined || field === undefined) throw new Error(`No such route: ${reference}`);
    for (const id of mine.all) {
      const [foreign, missing] = await Promise.all(
        [id, notThere(id)].map(async (value) => {
          const body = REFERENCES[reference]?.(value, theirs) ?? {};
          const answer = await ask(route, theirs.key, theirs.path(route.path), body);
          const told = answer.status < 300 ? '' : JSON.stringify(answer.body).replaceAll(value, '…');
          return { status: answer.status, told };
        }),
      );
      expect(foreign).toEqual(missing);
    }
  });

  it('have changed nothing of each other by all that', async () => {
    expect(await everythingOf(mine)).toEqual(before);
  });
});

describe('every route', () => {
  let platform: Platform;
  let noScopes: string;
  const nowhere = '00000000-0000-7000-8000-000000000000';
  const address = (path: string): string =>
    path
      .replace('{entity_type}', 'agent')
      .replace('{version}', '1')
      .replaceAll(/\{\w+\}/g, nowhere);

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true });
    const options = { key: platform.adminKey, scheme: 'UserKey', body: { name: 'none', scopes: [] } };
    const minted = await call('POST', `${platform.platformApi?.url ?? ''}/api/v1/auth/keys`, options);
    noScopes = (minted.body as { key: string }).key;
  });

  afterAll(() => platform.stop());

  async function statusOf(route: Route, key?: string): Promise<number> {
    const [url, scheme] =
      route.api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    const body = route.body === undefined ? {} : { body: {} };
    const credential = key === undefined ? {} : { key, scheme };
    return (await call(route.method, url + address(route.path), { ...credential, ...body })).status;
  }

  it.each(titled(withKey))('%s asks for a key', async (_title, route) => {
    expect(await statusOf(route)).toBe(401);
  });

  const scoped = withKey.filter(({ scope }) => scope !== 'any');
  it.each(titled(scoped))('%s asks for its scope', async (_title, route) => {
    expect(await statusOf(route, noScopes)).toBe(403);
  });
});

/** An id of the same form that names nothing. */
function notThere(id: string): string {
  const last = id.at(-1) === '0' ? '1' : '0';
  return id.slice(0, -1) + last;
}
