import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { BODIES, CHANGES, QUERIES } from '../support/intruder-requests.js';
import { NESTED_REFERENCES, newName, readsOfNew } from '../support/nested-references.js';
import { TenantFixture } from '../support/tenant-fixture.js';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

interface Route extends Operation {
  readonly api: ApiName;
}

const APIS: readonly ApiName[] = ['control-plane', 'platform-api'];
const routes: readonly Route[] = APIS.flatMap((api) => Contract.of(api).operations.map((route) => ({ ...route, api })));
const withKey = routes.filter(({ scope }) => scope !== 'none');
const owned = withKey.filter(({ path }) => TenantFixture.resourceParameters(path).length > 0);
/** Routes of entities of several types; the fixture has one of each. */
const ENTITY_TYPES = ['agent', 'team', 'environment', 'project'];
/** The types that all of these routes know. */
const OF_EVERY_ROUTE: ReadonlySet<string> = new Set(['agent', 'team']);
const ofAnyType = owned.filter(({ path }) => path.includes('{entity_type}') && path.includes('{entity_id}'));
const withTitles = (selected: readonly Route[]): [string, Route][] =>
  selected.map((route) => [`${route.api} ${route.method} ${route.path}`, route]);

/** Valid bodies, by route and field, with a reference to a resource of an organization in that field. */
const REFERENCES: Readonly<Record<string, (id: string, own: TenantFixture) => object>> = {
  'POST /api/v1/agents model_id': (id) => ({ name: 'a', model_id: id }),
  'POST /api/v1/agents team_id': (id) => ({ name: 'a', team_id: id }),
  'POST /api/v1/agents environment_ids': (id) => ({ name: 'a', environment_ids: [id] }),
  'POST /api/v1/agents skill_ids': (id) => ({ name: 'a', skill_ids: [id] }),
  'PATCH /api/v1/agents/{agent_id} skill_ids': (id) => ({ skill_ids: [id] }),
  'POST /api/v1/teams environment_ids': (id) => ({ name: 't', environment_ids: [id] }),
  'PATCH /api/v1/teams/{team_id} environment_ids': (id) => ({ environment_ids: [id] }),
  'POST /api/v1/teams skill_ids': (id) => ({ name: 't', skill_ids: [id] }),
  'PATCH /api/v1/teams/{team_id} skill_ids': (id) => ({ skill_ids: [id] }),
  'POST /api/v1/skills/associations/{entity_type}/{entity_id}/skills skill_id': (id) => ({ skill_id: id }),
  'PUT /api/v1/context/{entity_type}/{entity_id} resource_ids': (id) => ({ resource_ids: [id] }),
  'PUT /api/v1/context/{entity_type}/{entity_id} knowledge_uuids': (id) => ({ knowledge_uuids: [id] }),
  'PUT /api/v1/context/{entity_type}/{entity_id} policy_ids': (id) => ({ policy_ids: [id] }),
  'PATCH /api/v1/agents/{agent_id} model_id': (id) => ({ model_id: id }),
  'PATCH /api/v1/agents/{agent_id} team_id': (id) => ({ team_id: id }),
  'PATCH /api/v1/agents/{agent_id} environment_ids': (id) => ({ environment_ids: [id] }),
  'POST /api/v1/agents/{agent_id}/execute worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/agents/{agent_id}/preview worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/agents/{agent_id}/execute worker_queue_name': (id) => ({ prompt: 'p', worker_queue_name: id }),
  'POST /api/v1/agents/{agent_id}/preview worker_queue_name': (id) => ({ prompt: 'p', worker_queue_name: id }),
  'POST /api/v1/workflows/{workflow_id}/execute worker_queue_id': (id) => ({ worker_queue_id: id }),
  'POST /api/v1/workflows/{workflow_id}/preview worker_queue_id': (id) => ({ worker_queue_id: id }),
  'POST /api/v1/workflows/{workflow_id}/execute worker_queue_name': (id) => ({ worker_queue_name: id }),
  'POST /api/v1/workflows/{workflow_id}/preview worker_queue_name': (id) => ({ worker_queue_name: id }),
  'POST /api/v1/workflows/{workflow_id}/execute parent_execution_id': (id) => ({ parent_execution_id: id }),
  'POST /api/v1/workflows/{workflow_id}/preview parent_execution_id': (id) => ({ parent_execution_id: id }),
  'POST /api/v1/workflows/{id}/execute worker_queue_id': (id) => ({ worker_queue_id: id }),
  'POST /api/v1/agents/{agent_id}/execute parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/agents/{agent_id}/preview parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/teams/{team_id}/execute worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/teams/{team_id}/preview worker_queue_id': (id) => ({ prompt: 'p', worker_queue_id: id }),
  'POST /api/v1/teams/{team_id}/execute worker_queue_name': (id) => ({ prompt: 'p', worker_queue_name: id }),
  'POST /api/v1/teams/{team_id}/preview worker_queue_name': (id) => ({ prompt: 'p', worker_queue_name: id }),
  'POST /api/v1/teams/{team_id}/execute parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/teams/{team_id}/preview parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/workers/register environment_name': (id) => ({ environment_name: id }),
  'POST /api/v1/workers/register worker_queue_name': (id) => ({ worker_queue_name: id }),
  'POST /api/v1/workers/heartbeat worker_id': (id) => ({ worker_id: id }),
  'POST /api/v1/workers/heartbeat execution_ids': (id, own) => ({
    worker_id: own.id('worker_id'),
    execution_ids: [id],
  }),
  'POST /api/v1/workers/{worker_id}/heartbeat execution_ids': (id) => ({ execution_ids: [id] }),
  'POST /api/v1/policies/associations entity_id': (id, own) => ({
    entity_type: 'agent',
    entity_id: id,
    policy_id: own.id('policy_id'),
  }),
  'POST /api/v1/policies/associations policy_id': (id, own) => ({
    entity_type: 'agent',
    entity_id: own.id('agent_id'),
    policy_id: id,
  }),
  'POST /api/v1/policies/evaluate/{entity_type}/{entity_id} policy_ids': (id) => ({ policy_ids: [id] }),
  'POST /api/v1/policies/backtest policy_id': (id) => ({ policy_content: 'package p', policy_id: id }),
  'POST /api/v1/policies/backtest entity_id': (id) => ({ policy_content: 'package p', entity_id: id }),
  'POST /api/v1/projects default_model': (id) => ({ name: 'p', key: newName(), default_model: id }),
  'PATCH /api/v1/projects/{project_id} default_model': (id) => ({ default_model: id }),
  'POST /api/v1/projects policy_ids': (id) => ({ name: 'p', key: `k${id}`.slice(-50), policy_ids: [id] }),
  'PATCH /api/v1/projects/{project_id} policy_ids': (id) => ({ policy_ids: [id] }),
  'POST /api/v1/projects/{project_id}/teams team_id': (id) => ({ team_id: id }),
  'POST /api/v1/projects/{project_id}/agents agent_id': (id) => ({ agent_id: id }),
  'POST /api/v1/sessions/{user_session_id}/fork message_id': (id) => ({ message_id: id }),
  'POST /api/v1/executions/{execution_id}/plan entity_id': (id) => ({
    entity_type: 'agent',
    entity_id: id,
    reason: 'r',
  }),
  'POST /api/v1/executions/create execution_id': (id) => ({ prompt: 'p', execution_id: id }),
  'POST /api/v1/executions/create entity_id': (id) => ({ prompt: 'p', entity_id: id }),
  'POST /api/v1/executions/create job_id': (id) => ({ prompt: 'p', job_id: id }),
  'POST /api/v1/executions/create parent_execution_id': (id) => ({ prompt: 'p', parent_execution_id: id }),
  'POST /api/v1/executions/{execution_id}/rerun worker_queue_id': (id) => ({ worker_queue_id: id }),
  'POST /api/v1/executions/{execution_id}/rerun worker_queue_name': (id) => ({ worker_queue_name: id }),
  'POST /api/v1/executions/bulk execution_ids': (id) => ({ action: 'cancel', execution_ids: [id] }),
  'POST /api/v1/jobs entity_id': (id) => ({ ...JOB, entity_id: id }),
  'POST /api/v1/jobs worker_queue_name': (id, own) => ({
    ...JOB,
    entity_id: own.id('agent_id'),
    executor_type: 'specific_queue',
    worker_queue_name: id,
  }),
  'POST /api/v1/jobs environment_name': (id, own) => ({
    ...JOB,
    entity_id: own.id('agent_id'),
    executor_type: 'environment',
    environment_name: id,
  }),
  'PATCH /api/v1/jobs/{job_id} entity_id': (id) => ({ entity_id: id }),
  'PATCH /api/v1/jobs/{job_id} worker_queue_name': (id) => ({ executor_type: 'specific_queue', worker_queue_name: id }),
  'PATCH /api/v1/jobs/{job_id} environment_name': (id) => ({ executor_type: 'environment', environment_name: id }),
  'POST /api/v1/analytics/tasks execution_id': (id) => ({ execution_id: id, task_description: 'x' }),
  'POST /api/v1/analytics/batch execution_id': (id) => ({ execution_id: id, tasks: [] }),
  'POST /api/v1/workflows team_id': (id) => ({ name: `of-${id}`, team_id: id }),
  'PATCH /api/v1/workflows/{workflow_id} team_id': (id) => ({ team_id: id }),
  'POST /api/v1/webhooks job_ids': (id) => ({ url: SUBSCRIBER, job_ids: [id] }),
  'POST /api/v1/webhooks agent_ids': (id) => ({ url: SUBSCRIBER, agent_ids: [id] }),
  'PATCH /api/v1/webhooks/{webhook_id} job_ids': (id) => ({ job_ids: [id] }),
  'PATCH /api/v1/webhooks/{webhook_id} agent_ids': (id) => ({ agent_ids: [id] }),
  'PATCH /api/v1/workflows/{id} team_id': (id) => ({ team_id: id }),
  'POST /api/v1/tasks agent_id': (id) => ({ name: 't', agent_id: id }),
  'POST /api/v1/auth/keys user_id': (id) => ({ name: 'k', scopes: [], user_id: id }),
};
/** An address on which nothing listens. */
const SUBSCRIBER = 'http://127.0.0.1:9';
const JOB = { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_type: 'agent' };
/** Fields that are no references: clients choose their values, or nothing looks them up. With a route: only there. */
const FREE_FIELDS = new Set([
  'session_id',
  'task_id',
  'worker_token',
  'POST /api/v1/executions/{execution_id}/session user_id',
]);
const REFERENCE_FIELD = /(_id|_ids|_uuids|^worker_queue_name|^environment_name|^default_model|_token)$/;

/** Returns the status of a successful read: 307 for a redirection, 426 for a route that opens a WebSocket, else 200. */
function successOf({ responses }: Route): number {
  if ('101' in responses) return 426;
  return '307' in responses ? 307 : 200;
}

describe('two organizations', () => {
  let platform: Platform;
  let mine: TenantFixture;
  let theirs: TenantFixture;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    platform = await Platform.shared();
    mine = await TenantFixture.create(platform, (await platform.createOrganization('mine')).adminKey);
    theirs = await TenantFixture.create(platform, (await platform.createOrganization('theirs')).adminKey);
    before = await readEverything(mine);
  });

  afterAll(() => platform.stop());

  function send(route: Route, key: string | undefined, path: string, body?: object): Promise<HttpResponse> {
    const [url, scheme] =
      route.api === 'platform-api' ? [platform.platformApi?.url ?? '', 'UserKey'] : [platform.url, 'Bearer'];
    const content = body === undefined ? {} : { body };
    return call(route.method, url + path, { scheme, ...(key === undefined ? {} : { key }), ...content });
  }

  function bodyOf(route: Route): object | undefined {
    if (route.body === undefined) return undefined;
    return BODIES[`${route.method} ${route.path}`] ?? CHANGES;
  }

  /** Returns the response of every GET route to the owner. */
  async function readEverything(tenant: TenantFixture): Promise<Record<string, unknown>> {
    const read: Record<string, unknown> = {};
    for (const route of withKey) {
      if (route.method !== 'GET' || route.path.endsWith('/stream') || route.path.includes('/auth/')) continue;
      const query = QUERIES[route.path] === undefined ? '' : `?${QUERIES[route.path]}`;
      const { status, body } = await send(route, tenant.key, tenant.path(route.path) + query);
      expect([route.path, status]).toEqual([route.path, successOf(route)]);
      read[`${route.api} ${route.path}`] = withoutReadTimes(body);
    }
    return read;
  }

  it.each(withTitles(owned))('%s responds to a foreign id as to a missing one', async (_title, route) => {
    for (const parameter of TenantFixture.resourceParameters(route.path)) {
      const id = mine.idFor(route.path, parameter);
      const [foreign, missing] = await Promise.all(
        [id, unknownId(id)].map(async (value) => {
          const path = theirs.path(route.path, { [parameter]: value });
          const { status, body } = await send(route, theirs.key, path, bodyOf(route));
          return { status, body: JSON.stringify(body).replaceAll(value, '…') };
        }),
      );
      expect(foreign).toEqual(missing);
      expect(foreign?.status).toBe(404);
    }
  });

  it.each(withTitles(ofAnyType))(
    '%s responds to a foreign id as to a missing one for every type of entity',
    async (_title, route) => {
      for (const type of ENTITY_TYPES) {
        const id = mine.id(`${type}_id`);
        const [foreign, missing] = await Promise.all(
          [id, unknownId(id)].map(async (value) => {
            const path = theirs.path(route.path, { entity_type: type, entity_id: value });
            const { status, body } = await send(route, theirs.key, path, bodyOf(route));
            return { status, body: JSON.stringify(body).replaceAll(value, '…') };
          }),
        );
        expect([type, foreign]).toEqual([type, missing]);
        // 422: the route knows no entities of this type.
        expect(OF_EVERY_ROUTE.has(type) ? [404] : [404, 422]).toContain(foreign?.status);
      }
    },
  );

  it('see no rows of each other in lists, with any filter', async () => {
    const lists = withKey.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    for (const route of lists) {
      const filters = route.parameters.filter(
        ({ in: where, name }) => where === 'query' && (name.endsWith('_id') || name === 'q'),
      );
      const queries = [
        `?${QUERIES[route.path] ?? ''}`,
        ...filters.flatMap(({ name }) => mine.allIds.map((id) => `?${name}=${encodeURIComponent(id)}`)),
      ];
      for (const query of queries) {
        const text = JSON.stringify((await send(route, theirs.key, route.path + query)).body);
        expect(mine.allIds.filter((id) => text.includes(id) && !query.includes(id))).toEqual([]);
      }
    }
  });

  it('have every reference field in REFERENCES', () => {
    // Nested fields are listed by hand, with a dot.
    const covered = new Set(Object.keys(REFERENCES).filter((reference) => !reference.includes('.')));
    const references = withKey.flatMap((route) => {
      const contract = Contract.of(route.api);
      const { properties = {} } = contract.resolve(route.body ?? {}) as { properties?: object };
      const fields = Object.keys(properties).filter((name) => REFERENCE_FIELD.test(name) && !FREE_FIELDS.has(name));
      return fields.map((field) => `${route.method} ${route.path} ${field}`).filter((field) => !FREE_FIELDS.has(field));
    });
    expect([...new Set(references)].sort()).toEqual([...covered].sort());
  });

  it.each(Object.keys(REFERENCES))('%s responds to a foreign reference as to a missing one', async (reference) => {
    const [method, path, field] = reference.split(' ');
    // Both APIs have some of the routes.
    const found = withKey.filter((candidate) => candidate.method === method && candidate.path === path);
    if (found.length === 0 || field === undefined) throw new Error(`No such route: ${reference}`);
    for (const [route, ids] of found.flatMap((one) => byForm(mine.allIds).map((same) => [one, same] as const))) {
      const respond = async (value: string): Promise<{ status: number; text: string }> => {
        const body = REFERENCES[reference]?.(value, theirs) ?? {};
        const response = await send(route, theirs.key, theirs.path(route.path), body);
        const text = response.status < 300 ? '' : JSON.stringify(response.body).replaceAll(value, '…');
        return { status: response.status, text };
      };
      const foreign = new Map<string, unknown>();
      for (const id of ids) foreign.set(id, await respond(id));
      // The missing reference is sent last: some routes store it, and later tests read it.
      const missing = await respond(unknownId(ids[0]));
      for (const [id, response] of foreign) expect([id, response]).toEqual([id, missing]);
    }
  });

  it.each(Object.keys(NESTED_REFERENCES))(
    '%s finds nothing of another organization inside the body',
    async (reference) => {
      const [method = '', path = ''] = reference.split(' ');
      const found = withKey.find((one) => one.api === 'control-plane' && one.method === method && one.path === path);
      if (found === undefined) throw new Error(`No such route: ${reference}`);
      // Every name and text of a fixture ends with this suffix.
      const suffix = mine.key.slice(-8).toLowerCase();
      const respond = async (value: string): Promise<{ status: number; text: string; read: HttpResponse[] }> => {
        const response = await send(found, theirs.key, theirs.path(path), NESTED_REFERENCES[reference]?.(value));
        const text = JSON.stringify(response.body).replaceAll(value, '…');
        const reads = (response.status === 201 ? readsOfNew(path, response.body) : []).map((read) =>
          call('GET', `${platform.url}/api/v1/${read}`, { key: theirs.key }),
        );
        return { status: response.status, text, read: await Promise.all(reads) };
      };
      for (const ids of byForm(mine.allIds)) {
        const responses = new Map<string, Awaited<ReturnType<typeof respond>>>();
        for (const id of ids) responses.set(id, await respond(id));
        const missing = await respond(unknownId(ids[0]));
        for (const [id, foreign] of responses) {
          expect([id, foreign.status]).toEqual([id, missing.status]);
          if (foreign.status >= 300) expect(foreign.text).toBe(missing.text);
          expect(foreign.read.map(({ status }) => status)).toEqual(missing.read.map(({ status }) => status));
          const reads = foreign.read.map(({ body }) => JSON.stringify(body).replaceAll(id, '…'));
          const seen = [foreign.text, ...reads].join(' ');
          expect(seen).not.toContain(suffix);
          expect(mine.allIds.filter((other) => other !== id && seen.includes(other))).toEqual([]);
        }
      }
    },
  );

  it('have changed no rows of each other', async () => {
    expect(await readEverything(mine)).toEqual(before);
  });
});

describe('every route', () => {
  let platform: Platform;
  let noScopes: string;
  const missingId = '00000000-0000-7000-8000-000000000000';
  const address = (path: string): string =>
    path
      .replace('{entity_type}', 'agent')
      .replace('{version}', '1')
      .replaceAll(/\{\w+\}/g, missingId);

  beforeAll(async () => {
    platform = await Platform.shared();
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

  it.each(withTitles(withKey))('%s requires a key', async (_title, route) => {
    expect(await statusOf(route)).toBe(401);
  });

  const scoped = withKey.filter(({ scope }) => scope !== 'any');
  it.each(withTitles(scoped))('%s requires its scope', async (_title, route) => {
    expect(await statusOf(route, noScopes)).toBe(403);
  });
});

/** Fields that depend on the time of the request: the time itself, and the bounds of the period before it. */
const READ_TIMES = new Set(['server_time', 'from', 'to', 'at']);

/** Returns a body without the fields that differ on every read. */
function withoutReadTimes(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutReadTimes);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !READ_TIMES.has(name)));
}

/** Groups ids by their form: one unknown id is the counterpart of all ids of a group. */
function byForm(ids: readonly string[]): (readonly [string, ...string[]])[] {
  const groups = new Map<string, [string, ...string[]]>();
  for (const id of ids) {
    const form = id.replaceAll(/[0-9a-f]/gi, 'x');
    const group = groups.get(form);
    if (group === undefined) groups.set(form, [id]);
    else group.push(id);
  }
  return [...groups.values()];
}

/** Returns an unknown id of the same form. */
function unknownId(id: string): string {
  const last = id.at(-1) === '0' ? '1' : '0';
  return id.slice(0, -1) + last;
}
