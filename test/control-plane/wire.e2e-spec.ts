import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

interface Listing {
  readonly responses: Record<
    string,
    {
      readonly headers?: Record<string, unknown>;
      readonly content?: Record<string, { readonly schema: { readonly type?: string } }>;
    }
  >;
}

/** Rules that are the same on every route, tested with models. */
describe('the wire of the control plane', () => {
  let platform: Platform;
  const model = { value: 'acme/one', label: 'One', provider: 'acme' };

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}${path}`, { key: platform.adminKey, ...options });

  it('returns 401 with a challenge for a missing or invalid key, before it reads the body', async () => {
    const url = `${platform.url}/api/v1/models`;
    for (const options of [
      {},
      { key: 'ak_wrong' },
      { raw: '{"', key: 'ak_wrong' },
      { key: platform.adminKey, scheme: 'Basic' },
    ]) {
      const response = await call('POST', url, options);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.body).toEqual({ detail: expect.any(String) });
    }
  });

  it('accepts the key as Bearer and as UserKey', async () => {
    for (const scheme of ['Bearer', 'UserKey']) {
      expect((await call('GET', `${platform.url}/api/v1/models`, { key: platform.adminKey, scheme })).status).toBe(200);
    }
  });

  it('returns a request id with every response, the given one if it is valid', async () => {
    expect((await send('GET', '/api/v1/nothing')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const sent = await send('GET', '/api/v1/models', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(sent.headers.get('x-request-id')).toBe('mine-1');
  });

  it('returns all faults of a body at once, with location, message and type', async () => {
    const response = await send('POST', '/api/v1/models', {
      body: { label: 7, model_type: 'nonsense', display_order: 1.5 },
    });
    expect(response.status).toBe(422);
    expect(response.body).toEqual({
      detail: expect.arrayContaining([
        { loc: ['body', 'value'], msg: 'Field required', type: 'missing' },
        { loc: ['body', 'label'], msg: 'Input should be a valid string', type: 'string_type' },
        { loc: ['body', 'model_type'], msg: expect.any(String), type: 'enum' },
        { loc: ['body', 'display_order'], msg: expect.any(String), type: 'int_type' },
        { loc: ['body', 'provider'], msg: 'Field required', type: 'missing' },
      ]),
    });
  });

  it.each([
    ['POST', 'agents', { name: 'a', model: 'm', llm_config: { temprature: 1 } }, 'model, llm_config.temprature'],
    ['POST', 'policies', { name: 'p', policy_content: 'package p', content: 'x' }, 'content'],
    ['POST', 'workers/none/heartbeat', { satus: 'idle', status: 'idle' }, 'satus'],
    ['POST', 'models', { value: 'acme/two', label: 'Two', provider: 'acme' }, null],
  ])('names the fields that it ignored: %s %s', async (method, path, body, ignored) => {
    const response = await send(method, `/api/v1/${path}`, { body });
    expect(response.headers.get('x-ignored-fields')).toBe(ignored);
  });

  it.each([
    ['malformed JSON', '{"a":', 422, 'json_invalid'],
    ['NUL in a string', '{"value":"a\\u0000"}', 422, 'value_error'],
    ['a prototype key', '{"__proto__":{"admin":true}}', 422, 'value_error'],
    ['65 levels of nesting', `{"capabilities":${'['.repeat(65)}${']'.repeat(65)}}`, 422, 'value_error'],
    ['a body that is not an object', '[]', 422, 'dict_type'],
  ])('rejects %s', async (_what, raw, status, type) => {
    const response = await send('POST', '/api/v1/models', { raw });
    expect(response.status).toBe(status);
    const { detail } = response.body as { detail: { type: string }[] };
    expect(detail[0]?.type).toBe(type);
  });

  it.each([
    ['models', { ...model }, 'value'],
    ['agents', { name: 'a' }, 'team_id'],
    ['agents', { name: 'a' }, 'model_id'],
    ['jobs', { name: 'j', trigger_type: 'manual', prompt_template: 'p' }, 'entity_id'],
    ['jobs', { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_id: 'a' }, 'worker_queue_name'],
    ['jobs', { name: 'j', trigger_type: 'manual', prompt_template: 'p', entity_id: 'a' }, 'environment_name'],
    ['executions/create', { prompt: 'p' }, 'entity_id'],
    ['executions/create', { prompt: 'p' }, 'job_id'],
    ['executions/create', { prompt: 'p' }, 'parent_execution_id'],
  ])('names the field of a reference that is too long: %s', async (path, body, field) => {
    const response = await send('POST', `/api/v1/${path}`, { body: { ...body, [field]: 'x'.repeat(3000) } });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field], type: 'string_too_long' }] },
    });
  });

  it.each([
    ['models', model, 'provider'],
    ['agents', { name: 'a' }, 'name'],
    ['teams', { name: 't' }, 'name'],
    ['environments', { name: 'wide' }, 'display_name'],
  ])('limits the length of texts that other responses contain: of %s', async (path, body, field) => {
    const response = await send('POST', `/api/v1/${path}`, { body: { ...body, [field]: 'x'.repeat(256) } });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field], type: 'string_too_long' }] },
    });
  });

  it.each(['.', '..'])('rejects ids that would put %s into a path', async (part) => {
    const model = { value: `acme/${part}`, label: 'l', provider: 'p' };
    const task = { execution_id: 'nobody', task_id: part, name: 't', task_description: 'd' };
    for (const [path, body, field] of [
      ['executions/create', { execution_id: part }, 'execution_id'],
      ['models', model, 'value'],
      ['analytics/tasks', task, 'task_id'],
    ] as const) {
      const response = await send('POST', `/api/v1/${path}`, { body });
      expect(response.status).toBe(422);
      expect(response.body).toMatchObject({
        detail: expect.arrayContaining([
          expect.objectContaining({ loc: ['body', field], type: 'string_pattern_mismatch' }),
        ]),
      });
    }
  });

  it('returns 413 for a body over 1 MiB and 415 for another content type', async () => {
    const big = await send('POST', '/api/v1/models', {
      raw: JSON.stringify({ ...model, description: 'x'.repeat(1_048_577) }),
    });
    expect(big.status).toBe(413);
    for (const type of ['application/x-www-form-urlencoded', 'application/x-protobuf']) {
      const other = await send('POST', '/api/v1/models', { raw: 'a=1', headers: { 'Content-Type': type } });
      expect(other.status).toBe(415);
    }
  });

  it('never returns 500 for an unknown path', async () => {
    for (const path of [
      '/api/v1/models/%00',
      '/api/v1/models/%ff',
      "/api/v1/models/';--",
      '/api/v1/models/..%2f',
      '/api/v1/%00',
    ]) {
      expect([400, 404]).toContain((await send('GET', path)).status);
    }
  });

  it('limits skip and limit, and returns the total in X-Total-Count', async () => {
    await send('POST', '/api/v1/models', { body: { ...model, value: 'listed' } });
    const listed = await send('GET', '/api/v1/models?limit=1&skip=0');
    expect(listed.status).toBe(200);
    expect(Number(listed.headers.get('x-total-count'))).toBeGreaterThanOrEqual(1);
    for (const query of ['limit=0', 'limit=1001', 'skip=-1', 'limit=ten']) {
      const rejected = await send('GET', `/api/v1/models?${query}`);
      expect(rejected.status).toBe(422);
      expect(rejected.body).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
    }
  });

  it('returns faults of the path, the headers and texts of the body together with those of its fields', async () => {
    const faultsOf = async (path: string, options: CallOptions): Promise<unknown> => {
      const { status, body } = await send('POST', `/api/v1/${path}`, options);
      const { detail } = body as { detail: { loc: string[]; type: string }[] };
      return [status, ...detail.map(({ loc, type }) => `${loc.join('.')}: ${type}`).sort()];
    };
    const path = 'path.worker_id: uuid_parsing';
    const key = { 'Idempotency-Key': 'k'.repeat(256) };
    expect(await faultsOf('workers/x/disconnect', { body: { reason: 'a\0', exit_code: 'x' } })).toEqual([
      422,
      'body.exit_code: int_type',
      'body.reason: value_error',
      path,
    ]);
    for (const headers of [{}, { 'Content-Encoding': 'identity' }]) {
      const polled = await faultsOf('workers/x/poll', { headers, body: { max: 0 } });
      expect(polled).toEqual([422, 'body.max: greater_than_equal', path]);
      expect(await faultsOf('workers/x/heartbeat', { headers })).toEqual([422, path]);
    }
    expect(await faultsOf('agents', { headers: key, body: { description: '\0' } })).toEqual([
      422,
      'body.description: value_error',
      'body.name: missing',
      'header.Idempotency-Key: string_too_long',
    ]);
    const bodiless = await faultsOf('teams/t/agents/a', { headers: key });
    expect(bodiless).toEqual([422, 'header.Idempotency-Key: string_too_long']);
  });

  it('validates the known fields of an execution environment on every route', async () => {
    const environment = {
      env_vars: ['A=1'],
      secrets: 'A',
      integration_ids: ['i', 7],
      mcp_servers: 'x',
      working_dir: {},
    };
    const job = { name: 'n', trigger_type: 'manual', prompt_template: 'p', entity_id: 'a' };
    const routes: readonly [string, string, object][] = [
      ['POST', 'environments', { name: 'bad' }],
      ['PATCH', 'environments/default', {}],
      ['POST', 'agents', { name: 'bad' }],
      ['PATCH', 'agents/a', {}],
      ['POST', 'agents/a/execute', { prompt: 'p' }],
      ['POST', 'teams', { name: 'bad' }],
      ['PATCH', 'teams/t', {}],
      ['POST', 'teams/t/execute', { prompt: 'p' }],
      ['POST', 'jobs', job],
      ['PATCH', 'jobs/j', {}],
    ];
    for (const [method, path, rest] of routes) {
      const body = { ...rest, execution_environment: environment };
      const { detail = [] } = (await send(method, `/api/v1/${path}`, { body })).body as {
        detail?: { loc: string[]; type: string }[];
      };
      expect([method, path, detail.map(({ loc, type }) => `${loc.slice(2).join('.')}: ${type}`)]).toEqual([
        method,
        path,
        [
          'env_vars: dict_type',
          'secrets: list_type',
          'integration_ids.1: string_type',
          'mcp_servers: dict_type',
          'working_dir: string_type',
        ],
      ]);
    }
    const kept = { z: [1], secrets: ['A'], env_vars: { B: 1, A: null }, mcp_servers: null, working_dir: '' };
    const created = await send('POST', '/api/v1/agents', { body: { name: 'kept', execution_environment: kept } });
    const { execution_environment } = created.body as { execution_environment: object };
    expect(JSON.stringify(execution_environment)).toBe(JSON.stringify(kept));
  });

  it('returns X-Total-Count for every list, providers and runtimes included', async () => {
    const { paths } = (await send('GET', '/api/openapi.json')).body as { paths: Record<string, { get?: Listing }> };
    const lists = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.responses['200']?.content?.['application/json']?.schema.type === 'array' ? [{ path, ...get }] : [],
    );
    expect(lists.length).toBeGreaterThan(10);
    const uncounted = lists.filter(({ responses }) => responses['200']?.headers?.['X-Total-Count'] === undefined);
    expect(uncounted.map(({ path }) => path)).toEqual([]);
    for (const path of ['/api/v1/models/providers', '/api/v1/runtimes']) {
      const { body, headers } = await send('GET', path);
      expect([path, headers.get('x-total-count')]).toEqual([path, String((body as unknown[]).length)]);
      expect((await send('GET', `${path}?skip=1000`)).body).toEqual([]);
    }
  });

  it('replays the same Idempotency-Key and body, and rejects the key for another body', async () => {
    const headers = { 'Idempotency-Key': 'create-once' };
    const body = { ...model, value: 'once' };
    const first = await send('POST', '/api/v1/models', { body, headers });
    const second = await send('POST', '/api/v1/models', { body, headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await send('POST', '/api/v1/models', { body: { ...body, label: 'other' }, headers })).status).toBe(422);
  });

  it('stores nothing of a failed request under its Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'fails-first' };
    expect((await send('POST', '/api/v1/models', { body: {}, headers })).status).toBe(422);
    expect((await send('POST', '/api/v1/models', { body: { ...model, value: 'second try' }, headers })).status).toBe(
      201,
    );
  });

  it('ignores fields that a client cannot set', async () => {
    const body = {
      ...model,
      value: 'fields',
      id: 'mine',
      created_at: '1970-01-01T00:00:00.000Z',
      organization_id: 'x',
    };
    const created = (await send('POST', '/api/v1/models', { body })).body as Record<string, unknown>;
    expect(created['id']).not.toBe('mine');
    expect(created['created_at']).not.toBe(body.created_at);
    expect(created).not.toHaveProperty('organization_id');
  });

  it('serves its OpenAPI 3.1 document and a documentation page without a key', async () => {
    const document = await call('GET', `${platform.url}/api/openapi.json`);
    expect(document.body).toMatchObject({ openapi: '3.1.0' });
    expect((await call('GET', `${platform.url}/api/docs`)).status).toBe(200);
  });
});
