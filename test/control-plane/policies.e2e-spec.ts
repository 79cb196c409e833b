import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform, type Organization } from '../support/platform.js';

type Json = Record<string, unknown>;

const CONTENT = 'package app\n\n# Kept.\nallow if input.action == "execute"\t\r\n\n';

describe('policies over HTTP', () => {
  let platform: Platform;
  let stranger: Organization;

  beforeAll(async () => {
    platform = await Platform.shared();
    stranger = await platform.createOrganization('stranger');
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, key = platform.adminKey): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key, body });

  const make = async (path: string, body: Json): Promise<Json> => {
    const made = await send('POST', path, body);
    expect(made.status).toBe(201);
    return made.body as Json;
  };

  const create = (body: Json = {}): Promise<Json> => make('/policies', { name: 'guard', ...body });

  const faultsOf = ({ status, body }: HttpResponse): string[] => {
    expect(status).toBe(422);
    const { detail } = body as { detail: { loc: string[]; msg: string; type: string }[] };
    return detail.map(({ loc, msg, type }) => `${loc.join('.')}: ${type}: ${msg}`);
  };

  it('are created with every field and returned exactly as sent', async () => {
    const fields = {
      name: ' Guard ',
      description: 'd',
      enabled: false,
      tags: ['b', 'a', 'b'],
      policy_content: CONTENT,
      metadata: { z: 1, a: { y: null } },
    };
    const unsettable = { id: 'mine', version: 9, association_count: 3, created_by: 'me' };
    const created = await send('POST', '/policies', { ...fields, policy_type: 'rego', ...unsettable });
    expect(created.status).toBe(201);
    const body = created.body as Json;
    expect(body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      policy_type: 'rego',
      version: 1,
      association_count: 0,
      created_by: expect.any(String),
      updated_by: body['created_by'],
      created_at: expect.any(String),
      updated_at: body['created_at'],
    });
    expect(JSON.stringify((await send('GET', `/policies/${body['id']}`)).body)).toBe(JSON.stringify(body));
  });

  it('have the documented defaults for omitted fields and for "" or null', async () => {
    const none = ['description', 'enabled', 'tags', 'policy_content', 'policy_type', 'metadata'];
    for (const value of [undefined, null, '']) {
      expect(await create(Object.fromEntries(none.map((field) => [field, value])))).toMatchObject({
        description: null,
        enabled: true,
        tags: [],
        policy_content: '',
        policy_type: 'rego',
        metadata: {},
      });
    }
  });

  it('are rejected with every fault at once', async () => {
    const rejected = await send('POST', '/policies', {
      name: 'n'.repeat(256),
      policy_type: 'cedar',
      policy_content: 'x'.repeat(64 * 1024 + 1),
      enabled: 'yes',
      tags: ['a', 1],
      metadata: [],
    });
    expect(
      faultsOf(rejected)
        .map((fault) => fault.split(':').slice(0, 2).join(':'))
        .sort(),
    ).toEqual([
      'body.enabled: bool_type',
      'body.metadata: dict_type',
      'body.name: string_too_long',
      'body.policy_content: string_too_long',
      'body.policy_type: enum',
      'body.tags.1: string_type',
    ]);
    expect(faultsOf(await send('POST', '/policies', {}))).toEqual(['body.name: missing: Field required']);
  });

  it('are rejected with line and column if the text does not compile, on creation and update', async () => {
    const policy_content = 'package app\n\nallow if {\n  input.a ==\n}\n';
    const expected = ['body.policy_content: value_error: line 5, column 1: rego_parse_error: unexpected } token'];
    const syntax = faultsOf(await send('POST', '/policies', { name: 'bad', policy_content }));
    expect(syntax).toEqual(expected);
    const nameless = faultsOf(await send('POST', '/policies', { policy_content }));
    expect(nameless).toEqual(['body.name: missing: Field required', ...expected]);
    const { id } = await create();
    expect(faultsOf(await send('PUT', `/policies/${id}`, { policy_content }))).toEqual(expected);
    const outside = 'package app\n\nallow if http.send({"url": "x"})\n';
    expect(faultsOf(await send('PUT', `/policies/${id}`, { policy_content: outside }))[0]).toMatch(
      /line 3, column 10: rego_refused_builtin/,
    );
    expect((await send('GET', `/policies/${id}`)).body).toMatchObject({ version: 1, policy_content: '' });
  });

  it('are updated partially by PUT, keep their text if none is sent, and keep every version', async () => {
    const made = await create({ description: 'd', policy_content: CONTENT, tags: ['t'] });
    const path = `/policies/${made['id']}`;
    const changed = await send('PUT', path, { description: '', policy_content: '', name: '', metadata: { m: 1 } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...made,
      description: null,
      metadata: { m: 1 },
      version: 2,
      updated_at: expect.any(String),
    });
    expect((await send('PATCH', path, { enabled: false, policy_type: 'rego' })).body).toMatchObject({ version: 3 });
    const listed = await send('GET', `${path}/versions?limit=2`);
    expect(listed.headers.get('x-total-count')).toBe('3');
    expect((listed.body as Json[]).map(({ version, enabled }) => [version, enabled])).toEqual([
      [3, false],
      [2, true],
    ]);
    expect((await send('GET', `${path}/versions/1`)).body).toEqual({
      policy_id: made['id'],
      version: 1,
      name: 'guard',
      description: 'd',
      enabled: true,
      tags: ['t'],
      policy_type: 'rego',
      policy_content: CONTENT,
      metadata: {},
      created_by: made['created_by'],
      created_at: made['created_at'],
    });
    expect((await send('GET', `${path}/versions/4`)).status).toBe(404);
    expect((await send('GET', '/policies/none/versions')).status).toBe(404);
  });

  it('are validated and evaluated without being changed', async () => {
    const { id } = await create({ policy_content: CONTENT });
    const validate = (body?: Json): Promise<HttpResponse> => send('POST', `/policies/${id}/validate`, body);
    for (const body of [undefined, {}, { policy_content: '', input_data: null }]) {
      expect(await validate(body)).toMatchObject({
        status: 200,
        body: { valid: true, errors: [], warnings: [], result: null },
      });
    }
    for (const field of ['input_data', 'input']) {
      expect((await validate({ [field]: { action: 'execute' } })).body).toEqual({
        valid: true,
        errors: [],
        warnings: [],
        result: { allowed: true, violations: [] },
      });
    }
    expect((await validate({ policy_content: 'package x\n\nallow if', input: {} })).body).toEqual({
      valid: false,
      errors: [{ code: 'rego_parse_error', message: expect.any(String), line: 3, column: 9 }],
      warnings: [],
      result: null,
    });
    expect((await validate({ input: 7, policy_content: 7 })).status).toBe(422);
    expect((await send('POST', '/policies/none/validate', {})).status).toBe(404);
    expect((await send('GET', `/policies/${id}`)).body).toMatchObject({ version: 1, policy_content: CONTENT });
  });

  it('are listed in pages, newest first, by state and by a part of name or description', async () => {
    for (const n of [1, 2, 3]) await create({ name: `Listed ${n}`, enabled: n !== 2, description: `of the list` });
    const list = async (query: string): Promise<Json> => (await send('GET', `/policies?${query}`)).body as Json;
    const names = ({ policies }: Json): unknown[] => (policies as Json[]).map(({ name }) => name);
    const first = await list('search=listed&limit=2');
    expect(first).toMatchObject({ total: 3, page: 1, limit: 2, has_more: true });
    expect(names(first)).toEqual(['Listed 3', 'Listed 2']);
    const second = await list('search=LISTED&limit=2&page=2');
    expect(second).toMatchObject({ total: 3, page: 2, limit: 2, has_more: false });
    expect(names(second)).toEqual(['Listed 1']);
    expect(names(await list('search=of%20the%20list&enabled=FALSE'))).toEqual(['Listed 2']);
    expect(await list('search=listed&page=2000000000')).toMatchObject({ policies: [], total: 3, has_more: false });
    expect(await list('search=nothing+like+it')).toEqual({
      policies: [],
      total: 0,
      page: 1,
      limit: 20,
      has_more: false,
      next_cursor: null,
    });
    expect((await send('GET', '/policies?search=listed&limit=1')).headers.get('x-total-count')).toBe('3');
    for (const query of ['page=0', 'limit=0', 'limit=101', 'page=x', 'enabled=maybe', 'search=%00']) {
      expect((await send('GET', `/policies?${query}`)).status).toBe(422);
    }
  });

  it('are deleted with their associations', async () => {
    const { id } = await create();
    const agent = await make('/agents', { name: 'a' });
    const joined = { entity_type: 'agent', entity_id: agent['id'], policy_id: id };
    const association = await make('/policies/associations', joined);
    expect((await send('GET', `/policies/${id}`)).body).toMatchObject({ association_count: 1 });
    expect(await send('DELETE', `/policies/${id}`)).toMatchObject({ status: 200, body: { id, deleted: true } });
    expect((await send('DELETE', `/policies/${id}`)).status).toBe(404);
    expect((await send('GET', `/policies/${id}`)).status).toBe(404);
    expect((await send('GET', `/policies/associations/${association['id']}`)).status).toBe(404);
  });

  it('are associated, and associations are changed, listed and deleted', async () => {
    const policy = await create();
    const agent = await make('/agents', { name: 'a' });
    const joined = { entity_type: 'agent', entity_id: agent['id'], policy_id: policy['id'] };
    const made = await make('/policies/associations', { ...joined, priority: -3 });
    expect(made).toEqual({
      ...joined,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: policy['organization_id'],
      policy_name: 'guard',
      priority: -3,
      enabled: true,
      created_by: policy['created_by'],
      created_at: expect.any(String),
      updated_at: made['created_at'],
    });
    const path = `/policies/associations/${made['id']}`;
    expect((await send('GET', path)).body).toEqual(made);
    expect((await send('POST', '/policies/associations', joined)).status).toBe(409);
    const off = { ...made, enabled: false, updated_at: expect.any(String) };
    expect((await send('PATCH', path, { enabled: false, priority: null, policy_id: 'other' })).body).toEqual(off);
    expect((await send('PUT', path, { priority: 2 })).body).toEqual({ ...off, priority: 2 });
    for (const query of [`policy_id=${policy['id']}`, `entity_type=agent&entity_id=${agent['id']}&enabled=0`]) {
      const listed = await send('GET', `/policies/associations?${query}`);
      expect(listed.body).toEqual([{ ...off, priority: 2 }]);
      expect(listed.headers.get('x-total-count')).toBe('1');
    }
    expect((await send('GET', '/policies/associations?policy_id=none')).body).toEqual([]);
    expect(await send('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    expect((await send('DELETE', path)).status).toBe(404);
  });

  it('are associated only with existing entities, by valid requests', async () => {
    const policy = await create();
    const joined = { entity_type: 'team', entity_id: 'none', policy_id: policy['id'] };
    const unknown = await send('POST', '/policies/associations', joined);
    expect(unknown).toMatchObject({ status: 404, body: { detail: 'Team not found' } });
    const { id: entity_id } = await make('/agents', { name: 'a' });
    const gone = { entity_type: 'agent', entity_id, policy_id: 'none' };
    expect(await send('POST', '/policies/associations', gone)).toMatchObject({
      status: 404,
      body: { detail: 'Policy not found' },
    });
    const faults = faultsOf(await send('POST', '/policies/associations', { entity_type: 'job', priority: 1.5 }));
    expect(faults.map((fault) => fault.split(':').slice(0, 2).join(':')).sort()).toEqual([
      'body.entity_id: missing',
      'body.entity_type: enum',
      'body.policy_id: missing',
      'body.priority: int_type',
    ]);
    expect((await send('GET', '/policies/associations?entity_type=job')).status).toBe(422);
  });

  it('apply in the order environments, team, agent and by priority, each once', async () => {
    const lab = await make('/environments', { name: 'policy-lab' });
    const team = await make('/teams', { name: 'crew' });
    const agent = await make('/agents', { name: 'a', team_id: team['id'], environment_ids: ['policy-lab'] });
    const join = async (name: string, type: string, entity: unknown, rest: Json = {}): Promise<Json> => {
      const policy = await create({ name, policy_content: CONTENT });
      await make('/policies/associations', { entity_type: type, entity_id: entity, policy_id: policy['id'], ...rest });
      return policy;
    };
    await join('own', 'agent', agent['id']);
    const shared = await join('of the team', 'team', team['id']);
    await make('/policies/associations', { entity_type: 'agent', entity_id: agent['id'], policy_id: shared['id'] });
    await join('of the lab', 'environment', 'policy-lab');
    await join('first of the lab', 'environment', lab['id'], { priority: 1 });
    await join('off', 'agent', agent['id'], { enabled: false });
    const resolved = await send('GET', `/policies/resolved/agent/${agent['id']}`);
    expect(resolved.status).toBe(200);
    expect(resolved.headers.get('x-total-count')).toBe('4');
    const applied = resolved.body as Json[];
    expect(applied.map(({ policy_name }) => policy_name)).toEqual([
      'first of the lab',
      'of the lab',
      'of the team',
      'own',
    ]);
    expect(applied[2]).toEqual({
      policy_id: shared['id'],
      policy_name: 'of the team',
      version: 1,
      policy_content: CONTENT,
      source: { entity_type: 'team', entity_id: team['id'] },
      sources: [
        { entity_type: 'team', entity_id: team['id'] },
        { entity_type: 'agent', entity_id: agent['id'] },
      ],
    });
    expect((await send('GET', '/policies/resolved/environment/policy-lab')).body).toHaveLength(2);
    expect((await send('GET', `/policies/resolved/team/${team['id']}`)).body).toHaveLength(3);
    for (const path of ['agent/none', `team/${agent['id']}`, 'environment/none']) {
      expect((await send('GET', `/policies/resolved/${path}`)).status).toBe(404);
    }
    const msg = "Input should be 'agent' or 'team' or 'environment'";
    const rejected = { status: 422, body: { detail: [{ loc: ['path', 'entity_type'], msg, type: 'enum' }] } };
    for (const path of [`project/${agent['id']}`, `teams/${team['id']}`, 'toString/none']) {
      expect(await send('GET', `/policies/resolved/${path}`)).toMatchObject(rejected);
      expect(await send('POST', `/policies/evaluate/${path}`, {})).toMatchObject(rejected);
      expect(await send('POST', `/policies/check-authorization/${path}`, { action: 'a' })).toMatchObject(rejected);
    }
  });

  it('of another organization cannot be distinguished from missing ones', async () => {
    const policy = await create();
    const agent = await make('/agents', { name: 'a' });
    const joined = { entity_type: 'agent', entity_id: agent['id'], policy_id: policy['id'] };
    const association = await make('/policies/associations', joined);
    const sendAsStranger = (path: string, method = 'GET', body?: unknown): Promise<HttpResponse> =>
      send(method, path, body, stranger.adminKey);
    for (const [missing, hidden, method] of [
      ['/policies/none', `/policies/${policy['id']}`, 'GET'],
      ['/policies/none', `/policies/${policy['id']}`, 'PUT'],
      ['/policies/none', `/policies/${policy['id']}`, 'DELETE'],
      ['/policies/none/validate', `/policies/${policy['id']}/validate`, 'POST'],
      ['/policies/none/versions', `/policies/${policy['id']}/versions`, 'GET'],
      ['/policies/none/versions/1', `/policies/${policy['id']}/versions/1`, 'GET'],
      ['/policies/associations/none', `/policies/associations/${association['id']}`, 'GET'],
      ['/policies/associations/none', `/policies/associations/${association['id']}`, 'PATCH'],
      ['/policies/associations/none', `/policies/associations/${association['id']}`, 'DELETE'],
      ['/policies/resolved/agent/none', `/policies/resolved/agent/${agent['id']}`, 'GET'],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const [one, other] = [await sendAsStranger(missing, method, body), await sendAsStranger(hidden, method, body)];
      expect([other.status, other.body]).toEqual([404, one.body]);
    }
    expect((await sendAsStranger('/policies')).body).toMatchObject({ policies: [], total: 0 });
    expect((await sendAsStranger('/policies/associations')).body).toEqual([]);
    expect((await sendAsStranger('/policies/associations', 'POST', joined)).status).toBe(404);
    expect((await send('GET', `/policies/${policy['id']}`)).body).toMatchObject({ version: 1, association_count: 1 });
  });

  it('require agents:read for reading and admin for writing', async () => {
    const { id } = await create();
    const keyWith = async (scope: string): Promise<string> => {
      const url = `${platform.platformApi?.url}/api/v1/auth/keys`;
      const request = { key: platform.adminKey, scheme: 'UserKey', body: { name: scope, scopes: [scope] } };
      return ((await call('POST', url, request)).body as { key: string }).key;
    };
    const [reader, writer] = [await keyWith('agents:read'), await keyWith('agents:write')];
    for (const path of ['', `/${id}`, `/${id}/versions`, `/${id}/versions/1`, '/associations']) {
      expect((await send('GET', `/policies${path}`, undefined, reader)).status).toBe(200);
      expect((await send('GET', `/policies${path}`, undefined, writer)).status).toBe(403);
    }
    expect((await send('POST', `/policies/${id}/validate`, {}, reader)).status).toBe(200);
    expect((await send('POST', `/policies/${id}/validate`, {}, writer)).status).toBe(403);
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', '/associations'],
      ['PATCH', '/associations/x'],
      ['PUT', '/associations/x'],
      ['DELETE', '/associations/x'],
    ] as const) {
      for (const key of [reader, writer]) {
        const rejected = await send(method, `/policies${path}`, method === 'DELETE' ? undefined : {}, key);
        expect(rejected).toMatchObject({ status: 403, body: { detail: expect.stringContaining('admin') } });
      }
    }
  });

  it('are created once per idempotency key', async () => {
    const body = { name: 'once', policy_content: CONTENT };
    const once = (): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1/policies`, {
        key: platform.adminKey,
        body,
        headers: { 'Idempotency-Key': 'make-it-once' },
      });
    const [first, again] = [await once(), await once()];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await send('GET', '/policies?search=once')).body).toMatchObject({ total: 1 });
  });
});
