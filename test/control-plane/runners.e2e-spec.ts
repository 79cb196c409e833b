import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Runner = Schemas['RunnerResponse'];

describe('runners over HTTP', () => {
  let platform: Platform;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    api = platform.client();
  });

  afterAll(() => platform.stop());

  /** For bodies that the types of the client forbid. */
  const send = (body: unknown): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1/runners`, { key: platform.adminKey, body });
  const create = (body: Schemas['CreateRunnerRequest']) => api.POST('/api/v1/runners', { body });
  const read = (runner_id: string) => api.GET('/api/v1/runners/{runner_id}', at({ runner_id }));
  const update = (runner_id: string, body: Schemas['UpdateRunnerRequest']) =>
    api.PATCH('/api/v1/runners/{runner_id}', at({ runner_id }, { body }));
  const remove = (runner_id: string) => api.DELETE('/api/v1/runners/{runner_id}', at({ runner_id }));
  async function named(name: string): Promise<Runner> {
    const listed = await unwrap(api.GET('/api/v1/runners', { params: { query: { limit: 1000 } } }));
    const runner = listed.find((one) => one.name === name);
    if (runner === undefined) throw new Error(`There is no runner ${name}`);
    return runner;
  }
  const register = async (body: Schemas['RegisterWorkerRequest']): Promise<string> =>
    (await unwrap(api.POST('/api/v1/workers/register', { body }))).worker_id;
  const readWorker = (worker_id: string): Promise<unknown> =>
    unwrap(api.GET('/api/v1/workers/{worker_id}', { params: { path: { worker_id } } }));

  it('are created with every field and returned exactly as sent', async () => {
    const fields = {
      name: 'First ',
      description: 'd',
      labels: { zone: 'b', gpu: true },
      configuration: { z: { y: 1 }, a: null },
      tags: ['b', 'a'],
      metadata: { rack: 7 },
    };
    const created = await send({ ...fields, id: 'mine', last_seen_at: '2026-01-01T00:00:00Z' });
    const stored = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      active_workers: 0,
      last_seen_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect([created.status, created.body]).toEqual([201, { ...fields, ...stored }]);
    const runner = created.body as Runner;
    expect(await unwrap(read(runner.id))).toEqual({ ...runner, workers: [] });
    expect(await refusalOf(create({ name: 'First ' }))).toEqual([409, 'runner_name_taken']);
  });

  it('have null, {} and [] for omitted fields and for "" or null', async () => {
    const empty = { description: '', labels: null, tags: null, metadata: null };
    const expected = { description: null, labels: {}, configuration: {}, tags: [], metadata: {} };
    for (const body of [{ name: 'bare' }, { ...empty, name: 'bare with nulls', configuration: null }]) {
      expect(await unwrap(create(body))).toMatchObject(expected);
    }
    expect((await send({ ...empty, name: 'bare with ""', configuration: '' })).body).toMatchObject(expected);
  });

  it('are updated partially, listed by tag, and deleted without a body', async () => {
    const before = await unwrap(create({ name: 'changing', description: 'd', tags: ['listed'] }));
    const updated = await unwrap(update(before.id, { name: '', description: '', labels: { x: 1 } }));
    const after = { ...before, description: null, labels: { x: 1 }, updated_at: expect.any(String) };
    expect(updated).toEqual(after);
    const newer = await unwrap(create({ name: 'newer', tags: ['listed'] }));
    const list = (query: { limit?: number; skip?: number }) =>
      answerOf(api.GET('/api/v1/runners', { params: { query: { tag: 'listed', ...query } } }));
    const listed = await list({ limit: 1 });
    expect([listed.body, listed.headers.get('x-total-count')]).toEqual([[newer], '2']);
    expect((await list({ skip: 1 })).body).toEqual([updated]);
    expect(await answerOf(remove(before.id))).toMatchObject({ status: 204, body: undefined });
    for (const missing of [remove(before.id), read(before.id), update(before.id, {})]) {
      expect(await refusalOf(missing)).toEqual([404, 'runner_not_found']);
    }
  });

  it('are created by the first worker that names them, and show their workers', async () => {
    const first = await register({ runner_name: 'gpu-7', worker_metadata: { runner_name: 'x' } });
    const second = await register({ worker_metadata: { runner_name: 'gpu-7' }, hostname: 'h' });
    const unnamed = await register({ hostname: 'gpu-7', worker_metadata: { runner_name: 7 } });
    const runner = await named('gpu-7');
    expect(runner).toMatchObject({ active_workers: 2, last_seen_at: expect.any(String) });
    expect(await unwrap(read(runner.id))).toMatchObject({
      name: 'gpu-7',
      active_workers: 2,
      workers: [{ id: second, runner_name: 'gpu-7', hostname: 'h' }, { id: first }],
    });
    expect(await readWorker(unnamed)).toMatchObject({ runner_name: null });
    const query = { runner_name: 'gpu-7', limit: 1 };
    const listed = await api.GET('/api/v1/workers', { params: { query } });
    expect(listed.response.headers.get('x-total-count')).toBe('2');
    const refused = await answerOf(remove(runner.id));
    expect([refused.status, refused.headers.get('x-error-code'), refused.body]).toEqual([
      409,
      'runner_has_workers',
      { detail: 'The runner gpu-7 has connected workers (2); disconnect them first' },
    ]);
    for (const worker_id of [first, second]) {
      await unwrap(api.POST('/api/v1/workers/{worker_id}/disconnect', { params: { path: { worker_id } }, body: {} }));
    }
    expect(await named('gpu-7')).toMatchObject({ active_workers: 0, last_seen_at: expect.any(String) });
    await unwrap(remove(runner.id));
    expect(await refusalOf(read(runner.id))).toEqual([404, 'runner_not_found']);
  });

  it('keep fields that were stored before their first worker, and are named in the executions of their workers', async () => {
    const body = { name: 'laptop', description: 'mine', labels: { a: 1 } };
    const stored = await unwrap(create(body));
    const worker_id = await register({ runner_name: 'laptop', hostname: 'other' });
    expect(await named('laptop')).toEqual({ ...stored, active_workers: 1, last_seen_at: expect.any(String) });
    const { id: agent_id } = await unwrap(api.POST('/api/v1/agents', { body: { name: 'a' } }));
    const run = { params: { path: { agent_id } }, body: { prompt: 'Go' } };
    await unwrap(api.POST('/api/v1/agents/{agent_id}/execute', run));
    const params = { path: { worker_id } };
    const poll = { params, body: { wait_seconds: 20 } };
    const [lease] = await unwrap(api.POST('/api/v1/workers/{worker_id}/poll', poll));
    expect(lease?.execution).toMatchObject({ runner_name: 'laptop' });
    const beat = { worker_metadata: { runner_name: 'renamed' } };
    await unwrap(api.POST('/api/v1/workers/{worker_id}/heartbeat', { params, body: beat }));
    expect(await readWorker(worker_id)).toMatchObject({ runner_name: 'laptop', ...beat });
  });
});
