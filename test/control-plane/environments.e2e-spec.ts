import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];

const ENVIRONMENT = '/api/v1/environments/{environment_id}';
const QUEUE = '/api/v1/worker-queues/{queue_id}';

describe('environments and worker queues over HTTP', () => {
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
  const create = (body: Schemas['CreateEnvironmentRequest']) => api.POST('/api/v1/environments', { body });
  const read = (environment_id: string) => api.GET(ENVIRONMENT, at({ environment_id }));
  const update = (environment_id: string, body: Schemas['UpdateEnvironmentRequest']) =>
    api.PATCH(ENVIRONMENT, at({ environment_id }, { body }));
  const remove = (environment_id: string) => api.DELETE(ENVIRONMENT, at({ environment_id }));
  const createQueue = (environment_id: string, body: Schemas['CreateWorkerQueueRequest']) =>
    api.POST(`${ENVIRONMENT}/worker-queues`, at({ environment_id }, { body }));

  const faultsOf = (response: HttpResponse): [string, string][] =>
    (response.body as { detail: { loc: string[]; type: string }[] }).detail.map(({ loc, type }) => [
      loc.join('.'),
      type,
    ]);

  it('exist from the start as environment `default` with worker queue `default`', async () => {
    const listed = await answerOf(api.GET('/api/v1/environments'));
    expect(listed.headers.get('x-total-count')).toBe('1');
    expect(listed.body).toEqual([expect.objectContaining({ name: 'default', status: 'active', created_by: null })]);
    const queues = await unwrap(api.GET(`${ENVIRONMENT}/worker-queues`, at({ environment_id: 'default' })));
    expect(queues).toEqual([expect.objectContaining({ name: 'default', heartbeat_interval: 60 })]);
  });

  it('create an environment with every field, readable by id and by name', async () => {
    const fields = {
      name: 'Production EU',
      display_name: ' Europe ',
      description: 'd',
      tags: ['b', 'a'],
      settings: { z: 1, a: [{}] },
      execution_environment: { env_vars: { REGION: 'eu' }, secrets: ['TOKEN'] },
    };
    const created = await send('POST', '/environments', { ...fields, id: 'mine', status: 'error', unknown: 1 });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'active',
      active_workers: 0,
      idle_workers: 0,
      busy_workers: 0,
      skill_ids: [],
      skills: [],
      worker_token: expect.stringMatching(/^\w{32}$/),
      provisioned_at: expect.stringMatching(/Z$/),
      error_message: null,
      created_by: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
    });
    for (const name of [id, fields.name]) expect(await unwrap(read(name))).toEqual(created.body);
  });

  it('reject an environment with a missing, invalid or taken name', async () => {
    expect(faultsOf(await send('POST', '/environments', {}))).toEqual([['body.name', 'missing']]);
    expect(faultsOf(await answerOf(create({ name: 'x' })))).toEqual([['body.name', 'string_too_short']]);
    expect(faultsOf(await answerOf(create({ name: 'x'.repeat(101) })))).toEqual([['body.name', 'string_too_long']]);
    expect(await refusalOf(create({ name: 'default' }))).toEqual([409, 'environment_name_taken']);
  });

  it('clear a description with "" and tags with null, and keep a display name and a status with ""', async () => {
    await unwrap(create({ name: 'edited', display_name: 'E', description: 'd', tags: ['t'] }));
    const changes = { description: '', display_name: '', tags: null };
    const kept = { description: null, display_name: 'E', status: 'active', tags: [] };
    expect(await unwrap(update('edited', changes))).toMatchObject(kept);
    const changed = await send('PATCH', '/environments/edited', { ...changes, status: '' });
    expect(changed).toMatchObject({ status: 200, body: kept });
    expect(await unwrap(update('edited', { status: 'ready' }))).toMatchObject({ status: 'ready' });
    expect(faultsOf(await send('PATCH', '/environments/edited', { status: 'broken' }))).toEqual([
      ['body.status', 'enum'],
    ]);
  });

  it('refuse to delete the default environment and one with queues, and delete others without a body', async () => {
    expect(await refusalOf(remove('default'))).toEqual([409, 'environment_is_default']);
    await unwrap(create({ name: 'temporary' }));
    const { id: queue_id } = await unwrap(createQueue('temporary', { name: 'work' }));
    expect(await refusalOf(remove('temporary'))).toEqual([409, 'environment_has_queues']);
    expect((await answerOf(api.DELETE(QUEUE, at({ queue_id })))).status).toBe(204);
    const deleted = await answerOf(remove('temporary'));
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect(await refusalOf(read('temporary'))).toEqual([404, 'environment_not_found']);
  });

  it('create a worker queue with the documented defaults in the environment of the path', async () => {
    const created = await answerOf(createQueue('default', { name: 'gpu-1' }));
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect(created.body).toEqual({
      id,
      organization_id: expect.any(String),
      environment_id: expect.any(String),
      name: 'gpu-1',
      display_name: '',
      description: '',
      status: 'active',
      max_workers: null,
      heartbeat_interval: 60,
      tags: [],
      settings: {},
      created_at: expect.any(String),
      updated_at: expect.any(String),
      created_by: expect.any(String),
      task_queue_name: id,
      active_workers: 0,
    });
    expect(await unwrap(api.GET(QUEUE, at({ queue_id: id })))).toEqual(created.body);
    expect(await refusalOf(createQueue('default', { name: 'gpu-1' }))).toEqual([409, 'worker_queue_name_taken']);
    expect(await refusalOf(createQueue('nowhere', { name: 'gpu-2' }))).toEqual([404, 'environment_not_found']);
  });

  it.each([
    [{ name: 'Upper' }, 'body.name', 'string_pattern_mismatch'],
    [{ name: 'with space' }, 'body.name', 'string_pattern_mismatch'],
    [{ name: 'x' }, 'body.name', 'string_too_short'],
    [{ name: 'x'.repeat(51) }, 'body.name', 'string_too_long'],
    [{ name: 'ok', max_workers: 0 }, 'body.max_workers', 'greater_than_equal'],
    [{ name: 'ok', max_workers: 1.5 }, 'body.max_workers', 'int_type'],
    [{ name: 'ok', heartbeat_interval: 9 }, 'body.heartbeat_interval', 'greater_than_equal'],
    [{ name: 'ok', heartbeat_interval: 301 }, 'body.heartbeat_interval', 'less_than_equal'],
    [{ name: 'ok', tags: ['a', 1] }, 'body.tags.1', 'string_type'],
    [{ name: 'ok', settings: [] }, 'body.settings', 'dict_type'],
  ])('reject the worker queue %j', async (body, loc, type) => {
    const response = await send('POST', '/environments/default/worker-queues', body);
    expect(response.status).toBe(422);
    expect(faultsOf(response)).toEqual([[loc, type]]);
  });

  it('accept limits of a worker queue and null for unlimited, in updates as well', async () => {
    for (const heartbeat_interval of [10, 300]) {
      const body = { name: `beat-${heartbeat_interval}`, heartbeat_interval, max_workers: 1 };
      const queue = await unwrap(createQueue('default', body));
      expect(queue).toMatchObject(body);
      const changed = api.PATCH(QUEUE, at({ queue_id: queue.id }, { body: { max_workers: null } }));
      expect(await unwrap(changed)).toMatchObject({ max_workers: null, heartbeat_interval });
    }
  });

  it('list worker queues of all environments newest first, filtered and in pages', async () => {
    const { id: environment_id } = await unwrap(create({ name: 'listed' }));
    for (const name of ['q-1', 'q-2', 'q-3']) await unwrap(createQueue('listed', { name }));
    const list = (query: { skip?: number; limit?: number; status?: 'paused' }) =>
      api.GET('/api/v1/worker-queues', { params: { query: { environment_id, ...query } } });
    const { data: page = [], response } = await list({ skip: 1, limit: 1 });
    expect(page.map(({ name }) => name)).toEqual(['q-2']);
    expect(response.headers.get('x-total-count')).toBe('3');
    expect(await unwrap(list({ status: 'paused' }))).toEqual([]);
    expect(faultsOf(await answerOf(list({ limit: 0 })))).toEqual([['query.limit', 'greater_than_equal']]);
  });

  it('replay a creation under the same Idempotency-Key', async () => {
    const request = { body: { name: 'once' }, headers: { 'Idempotency-Key': 'env-once' } };
    const again = () => answerOf(api.POST('/api/v1/environments', request));
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('return the client configuration and the runtimes', async () => {
    expect(await unwrap(api.GET('/api/v1/client/config'))).toMatchObject({
      api_version: 'v1',
      control_plane_url: platform.url,
      default_runtime: 'default',
    });
    const runtimes = () => unwrap(api.GET('/api/v1/runtimes'));
    const builtIn = expect.objectContaining({ id: 'default', name: 'Default' });
    expect(await runtimes()).toEqual([builtIn]);
    const body = { runtimes: ['default', 'b_code', 'a_code'] };
    const { worker_id } = await unwrap(api.POST('/api/v1/workers/register', { body }));
    const description = 'Runtime of connected workers';
    const declared = ['a_code', 'b_code'].map((id) => ({ id, name: id, description }));
    expect(await runtimes()).toEqual([...declared, builtIn]);
    const query = { limit: 1, skip: 1 };
    expect(await unwrap(api.GET('/api/v1/runtimes', { params: { query } }))).toEqual([declared[1]]);
    await unwrap(api.POST('/api/v1/workers/{worker_id}/disconnect', at({ worker_id }, { body: {} })));
    expect(await runtimes()).toEqual([builtIn]);
  });
});
