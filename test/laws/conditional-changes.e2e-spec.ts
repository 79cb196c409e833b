import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { Contract, type ApiName, type Operation } from '../support/contract.js';
import { call, type CallOptions, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { TenantFixture } from '../support/tenant-fixture.js';

interface Route extends Operation {
  readonly api: ApiName;
}

type Json = Record<string, unknown>;

const conditional = (['control-plane', 'platform-api'] as const)
  .flatMap((api) => Contract.of(api).operations.map((operation): Route => ({ ...operation, api })))
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'If-Match'));
const changing = conditional.filter(({ method }) => method !== 'DELETE');
const named = (routes: readonly Route[]): [string, Route][] =>
  routes.map((route) => [`${route.api} ${route.method} ${route.path}`, route]);
/** Number of changes that are sent at the same time. */
const RIVALS = 8;

describe('a change with If-Match', () => {
  let platform: Platform;
  let tenant: TenantFixture;

  beforeAll(async () => {
    platform = await Platform.shared();
    tenant = await TenantFixture.create(platform, platform.adminKey);
  });
  afterAll(() => platform.stop());

  const urlOf = (api: ApiName, path: string): string =>
    (api === 'platform-api' ? (platform.platformApi?.url ?? '') : platform.url) + path;

  const send = (route: Pick<Route, 'api'>, method: string, path: string, options: CallOptions = {}) =>
    call(method, urlOf(route.api, path), {
      key: platform.adminKey,
      scheme: route.api === 'platform-api' ? 'UserKey' : 'Bearer',
      ...options,
    });

  const control = (method: string, path: string, body?: object, ifMatch?: string): Promise<HttpResponse> =>
    send({ api: 'control-plane' }, method, `/api/v1${path}`, {
      ...(body === undefined ? {} : { body }),
      ...(ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } }),
    });

  const tagOf = ({ headers }: HttpResponse): string => headers.get('ETag') ?? '';
  const idOf = ({ body }: HttpResponse): string => String((body as Json)['id']);

  const change = (route: Route, path: string, description: string, ifMatch: string): Promise<HttpResponse> =>
    send(route, route.method, path, { body: { description }, headers: { 'If-Match': ifMatch } });

  it('is possible for every resource that people edit in turn', () => {
    expect(
      named(changing)
        .map(([name]) => name)
        .sort(),
    ).toEqual([
      'control-plane PATCH /api/v1/agents/{agent_id}',
      'control-plane PATCH /api/v1/jobs/{job_id}',
      'control-plane PATCH /api/v1/policies/{policy_id}',
      'control-plane PATCH /api/v1/teams/{team_id}',
      'control-plane PATCH /api/v1/workflows/{workflow_id}',
      'control-plane PUT /api/v1/policies/{policy_id}',
      'platform-api PATCH /api/v1/workflows/{id}',
    ]);
  });

  it.each(named(changing))('%s writes only over the state that the client has read', async (_name, route) => {
    const path = tenant.path(route.path);
    const read = await send(route, 'GET', path);
    expect(tagOf(read)).toMatch(/^"[^"]+"$/);
    expect(tagOf(await send(route, 'GET', path))).toBe(tagOf(read));

    const first = await change(route, path, 'first', tagOf(read));
    expect(first).toMatchObject({ status: 200, body: { description: 'first' } });
    expect(tagOf(first)).not.toBe(tagOf(read));

    const late = await change(route, path, 'late', tagOf(read));
    expect(late.status).toBe(412);
    expect(late.headers.get('X-Error-Code')).toBe('changed_meanwhile');
    expect(late.headers.get('ETag')).toBeNull();
    const after = await send(route, 'GET', path);
    expect(after.body).toEqual(first.body);
    expect(tagOf(after)).toBe(tagOf(first));
  });

  it.each(named(changing))('%s lets one of several concurrent changes win', async (_name, route) => {
    const path = tenant.path(route.path);
    const tag = tagOf(await send(route, 'GET', path));
    const rivals = Array.from({ length: RIVALS }, (_, index) => change(route, path, `rival ${index}`, tag));
    const responses = await Promise.all(rivals);
    const winners = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(RIVALS - 1);
    expect(winners).toHaveLength(1);
    const after = await send(route, 'GET', path);
    expect(after.body).toEqual(winners[0]?.body);
    expect(tagOf(after)).toBe(winners.map(tagOf).join());
  });

  it.each(named(changing))('%s takes a list, `*` and no weak tag, and needs no If-Match', async (_name, route) => {
    const path = tenant.path(route.path);
    const tag = async (): Promise<string> => tagOf(await send(route, 'GET', path));
    expect((await change(route, path, 'list', `"a,b" ,, W/"c",${await tag()}`)).status).toBe(200);
    expect((await change(route, path, 'any', ' * ')).status).toBe(200);
    const before = await tag();
    expect((await change(route, path, 'weak', `W/${before}`)).status).toBe(412);
    expect((await change(route, path, 'other', '"other"')).status).toBe(412);
    expect(await tag()).toBe(before);
    const unconditional = await send(route, route.method, path, { body: { description: 'unconditional' } });
    expect(unconditional.status).toBe(200);
    expect(tagOf(unconditional)).toBe(await tag());
    expect(tagOf(unconditional)).not.toBe(before);
  });

  it.each(named(conditional))(
    '%s rejects what is no list of tags, and names nothing that is missing',
    async (_name, route) => {
      const path = tenant.path(route.path);
      const before = await send(route, 'GET', path);
      const body = route.body === undefined ? {} : { body: { name: 1 } };
      for (const ifMatch of ['unquoted', '*, "a"', '"a" "b"', '"open']) {
        const { status, body: refusal } = await send(route, route.method, path, {
          ...body,
          headers: { 'If-Match': ifMatch },
        });
        expect({ ifMatch, status }).toEqual({ ifMatch, status: 422 });
        expect(JSON.stringify(refusal)).toMatch(/header.{1,3}If-Match/);
      }
      expect(await send(route, 'GET', path)).toMatchObject({ body: before.body });
      const missing = route.path.replaceAll(/\{\w+\}/g, 'none');
      const impossible = route.path.replaceAll(/\{\w+\}/g, '%00');
      const sent = route.body === undefined ? {} : { body: { description: 'x' } };
      for (const unknown of [missing, impossible]) {
        for (const ifMatch of ['*', '"a"']) {
          const { status } = await send(route, route.method, unknown, { ...sent, headers: { 'If-Match': ifMatch } });
          expect(status).toBe(404);
        }
        expect((await send(route, 'GET', unknown)).status).toBe(404);
      }
    },
  );

  it('deletes nothing that was changed meanwhile', async () => {
    for (const [path, fields] of Object.entries(NEW)) {
      const created = await control('POST', path, fields);
      const one = `${path}/${idOf(created)}`;
      expect(tagOf(await control('GET', one))).toBe(tagOf(created));
      const changed = await control('PATCH', one, { description: 'changed' });
      expect((await control('DELETE', one, undefined, tagOf(created))).status).toBe(412);
      expect((await control('GET', one)).body).toEqual(changed.body);
      expect((await control('DELETE', one, undefined, tagOf(changed))).status).toBeLessThan(300);
      expect((await control('GET', one)).status).toBe(404);
    }
  });

  it('depends on what requests set, not on runs or on who reads', async () => {
    const agent = await control('POST', '/agents', { name: 'busy' });
    const target = { entity_type: 'agent', entity_id: idOf(agent), planning_mode: 'predefined_agent' };
    const fields = { ...target, name: 'busy', trigger_type: 'cron', cron_schedule: '0 3 * * *', prompt_template: 'go' };
    const job = await control('POST', '/jobs', fields);
    const run = await control('POST', `/jobs/${idOf(job)}/trigger`, {});
    expect(run.status).toBe(200);
    const reader = (await new PlatformApi(platform).withScopes('agents:read', 'tasks:read')).key;
    for (const [path, made] of [
      [`/agents/${idOf(agent)}`, agent],
      [`/jobs/${idOf(job)}`, job],
    ] as const) {
      const options = { key: reader };
      expect(tagOf(await send({ api: 'control-plane' }, 'GET', `/api/v1${path}`, options))).toBe(tagOf(made));
      expect((await control('PATCH', path, { description: 'after a run' }, tagOf(made))).status).toBe(200);
    }
  });

  it('notices every way in which the settings of a resource change', async () => {
    const [agent, team] = [
      await control('POST', '/agents', { name: 'a' }),
      await control('POST', '/teams', { name: 't' }),
    ];
    const job = await control('POST', '/jobs', {
      name: 'j',
      trigger_type: 'webhook',
      prompt_template: 'go',
      entity_id: idOf(agent),
    });
    const skill_id = tenant.id('skill_id');
    const changes: [path: string, method: string, changing: string, body?: object][] = [
      [`/agents/${idOf(agent)}`, 'PATCH', `/agents/${idOf(agent)}`, { skill_ids: [skill_id] }],
      [`/agents/${idOf(agent)}`, 'DELETE', `/skills/associations/agents/${idOf(agent)}/skills/${skill_id}`],
      [`/agents/${idOf(agent)}`, 'POST', `/skills/associations/agents/${idOf(agent)}/skills`, { skill_id }],
      [`/agents/${idOf(agent)}`, 'POST', `/teams/${idOf(team)}/agents/${idOf(agent)}`],
      [`/teams/${idOf(team)}`, 'POST', `/skills/associations/teams/${idOf(team)}/skills`, { skill_id }],
      [`/jobs/${idOf(job)}`, 'POST', `/jobs/${idOf(job)}/disable`],
      [`/jobs/${idOf(job)}`, 'POST', `/jobs/${idOf(job)}/webhook/rotate`],
      [`/agents/${idOf(agent)}`, 'DELETE', `/teams/${idOf(team)}`],
    ];
    for (const [path, method, changing, body] of changes) {
      const before = await control('GET', path);
      expect((await control(method, changing, body)).status).toBeLessThan(300);
      expect({ method, changing, tag: tagOf(await control('GET', path)) }).not.toEqual({
        method,
        changing,
        tag: tagOf(before),
      });
      expect((await control('PATCH', path, { description: 'late' }, tagOf(before))).status).toBe(412);
    }
  });

  it('has one tag per workflow on both APIs, which no workflow with the same name gets later', async () => {
    const created = await control('POST', '/workflows', { name: 'tagged' });
    const api = { api: 'platform-api' } as const;
    expect(tagOf(await send(api, 'GET', '/api/v1/workflows/tagged'))).toBe(tagOf(created));
    const renamed = await control('PATCH', '/workflows/tagged', { name: 'renamed' }, tagOf(created));
    expect(tagOf(await control('GET', '/workflows/renamed'))).toBe(tagOf(renamed));
    const other = await control('POST', '/workflows', { name: 'tagged' });
    expect(tagOf(other)).not.toBe(tagOf(created));
    expect((await control('PATCH', '/workflows/tagged', { description: 'late' }, tagOf(created))).status).toBe(412);
  });
});

/** By the path of a list: the fields of a new resource. */
const NEW: Readonly<Record<string, object>> = {
  '/agents': { name: 'deleted' },
  '/jobs': { name: 'deleted', trigger_type: 'manual', prompt_template: 'go', entity_id: 'none' },
  '/policies': { name: 'deleted' },
  '/teams': { name: 'deleted' },
  '/workflows': { name: 'deleted' },
};
