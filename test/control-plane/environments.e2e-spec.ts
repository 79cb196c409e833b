import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('environments and worker queues over HTTP', () => {
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

  const faultsOf = (response: HttpResponse): [string, string][] =>
    (response.body as { detail: { loc: string[]; type: string }[] }).detail.map(({ loc, type }) => [
      loc.join('.'),
      type,
    ]);

  it('exist from the start as environment `default` with worker queue `default`', async () => {
    const listed = await send('GET', '/environments');
    expect(listed.headers.get('x-total-count')).toBe('1');
    expect(listed.body).toEqual([expect.objectContaining({ name: 'default', status: 'active', created_by: null })]);
    const queues = await send('GET', '/environments/default/worker-queues');
    expect(queues.body).toEqual([expect.objectContaining({ name: 'default', heartbeat_interval: 60 })]);
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
    for (const name of [id, encodeURIComponent(fields.name)]) {
      expect((await send('GET', `/environments/${name}`)).body).toEqual(created.body);
    }
  });

  it('reject an environment with a missing, invalid or taken name', async () => {
    expect(faultsOf(await send('POST', '/environments', {}))).toEqual([['body.name', 'missing']]);
    expect(faultsOf(await send('POST', '/environments', { name: 'x' }))).toEqual([['body.name', 'string_too_short']]);
    const long = await send('POST', '/environments', { name: 'x'.repeat(101) });
    expect(faultsOf(long)).toEqual([['body.name', 'string_too_long']]);
    expect((await send('POST', '/environments', { name: 'default' })).status).toBe(409);
  });

  it('clear a description with "", and keep a display name and a status with ""', async () => {
    await send('POST', '/environments', { name: 'edited', display_name: 'E', description: 'd', tags: ['t'] });
    const changes = { description: '', display_name: '', status: '', tags: null };
    const changed = await send('PATCH', '/environments/edited', changes);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ description: null, display_name: 'E', status: 'active', tags: ['t'] });
    expect((await send('PATCH', '/environments/edited', { status: 'ready' })).body).toMatchObject({ status: 'ready' });
    expect(faultsOf(await send('PATCH', '/environments/edited', { status: 'broken' }))).toEqual([
      ['body.status', 'enum'],
    ]);
  });

  it('reject deleting the default environment and one with queues; delete others without a body', async () => {
    expect((await send('DELETE', '/environments/default')).status).toBe(409);
    await send('POST', '/environments', { name: 'temporary' });
    const { body: queue } = await send('POST', '/environments/temporary/worker-queues', { name: 'work' });
    expect((await send('DELETE', '/environments/temporary')).status).toBe(409);
    expect((await send('DELETE', `/worker-queues/${(queue as Json)['id']}`)).status).toBe(204);
    const deleted = await send('DELETE', '/environments/temporary');
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await send('GET', '/environments/temporary')).status).toBe(404);
  });

  it('create a worker queue with the documented defaults in the environment of the path', async () => {
    const created = await send('POST', '/environments/default/worker-queues', { name: 'gpu-1' });
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
    expect((await send('GET', `/worker-queues/${id}`)).body).toEqual(created.body);
    expect((await send('POST', '/environments/default/worker-queues', { name: 'gpu-1' })).status).toBe(409);
    expect((await send('POST', '/environments/nowhere/worker-queues', { name: 'gpu-2' })).status).toBe(404);
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
      const { body: queue } = await send('POST', '/environments/default/worker-queues', body);
      expect(queue).toMatchObject(body);
      const changed = await send('PATCH', `/worker-queues/${(queue as Json)['id']}`, { max_workers: null });
      expect(changed.body).toMatchObject({ max_workers: null, heartbeat_interval });
    }
  });

  it('list worker queues of all environments newest first, filtered and in pages', async () => {
    await send('POST', '/environments', { name: 'listed' });
    for (const name of ['q-1', 'q-2', 'q-3']) await send('POST', '/environments/listed/worker-queues', { name });
    const { id } = (await send('GET', '/environments/listed')).body as { id: string };
    const page = await send('GET', `/worker-queues?environment_id=${id}&skip=1&limit=1`);
    expect((page.body as Json[]).map(({ name }) => name)).toEqual(['q-2']);
    expect(page.headers.get('x-total-count')).toBe('3');
    expect((await send('GET', `/worker-queues?environment_id=${id}&status=paused`)).body).toEqual([]);
    expect(faultsOf(await send('GET', '/worker-queues?limit=0'))).toEqual([['query.limit', 'greater_than_equal']]);
  });

  it('replay a creation under the same Idempotency-Key', async () => {
    const again = () => send('POST', '/environments', { name: 'once' }, { 'Idempotency-Key': 'env-once' });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('return the client configuration and the runtimes', async () => {
    expect((await send('GET', '/client/config')).body).toMatchObject({
      api_version: 'v1',
      control_plane_url: platform.url,
      default_runtime: 'default',
    });
    const runtimes = async () => (await send('GET', '/runtimes')).body as { id: string }[];
    const builtIn = expect.objectContaining({ id: 'default', name: 'Default' });
    expect(await runtimes()).toEqual([builtIn]);
    const started = await send('POST', '/workers/register', { runtimes: ['default', 'b_code', 'a_code'] });
    const description = 'Runtime of connected workers';
    const declared = ['a_code', 'b_code'].map((id) => ({ id, name: id, description }));
    expect(await runtimes()).toEqual([...declared, builtIn]);
    expect((await send('GET', '/runtimes?limit=1&skip=1')).body).toEqual([declared[1]]);
    const { worker_id: workerId } = started.body as { worker_id: string };
    await send('POST', `/workers/${workerId}/disconnect`);
    expect(await runtimes()).toEqual([builtIn]);
  });
});
