import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';
import { answerOf, at, refusalOf } from '../support/typed-client.js';

type Schemas = ControlPlaneComponents['schemas'];
type Model = Schemas['ModelResponse'];

const MODEL = '/api/v1/models/{model}';

const LISTED = [
  {
    model_name: 'acme/large',
    litellm_params: { model: 'acme/large-1', api_key: 'sk-inside' },
    model_info: { mode: 'chat', input_cost_per_token: 0.000003, supports_function_calling: true },
  },
  { model_name: 'acme/small', litellm_params: { model: 'acme/small-1' }, model_info: { mode: 'chat' } },
  { model_name: 'other/vector', model_info: { mode: 'embedding', litellm_provider: 'other' } },
];

interface Query {
  readonly provider?: string;
  readonly type?: string;
  readonly runtime?: string;
  readonly enabled?: boolean;
  readonly limit?: number;
  readonly skip?: number;
}

describe('models over HTTP', () => {
  let platform: Platform;
  let gateway: Server;
  let api: ControlPlaneClient;
  let respond: (response: ServerResponse) => void = () => undefined;
  const list = (response: ServerResponse): void => void response.end(JSON.stringify({ data: LISTED }));

  beforeAll(async () => {
    respond = list;
    gateway = createServer((_request, response) => respond(response));
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const { port } = gateway.address() as AddressInfo;
    const env = { LLM_GATEWAY_URL: `http://127.0.0.1:${port}/v1`, MODEL_CATALOGUE_REFRESH_SECONDS: '1' };
    platform = await Platform.start({ env });
    api = platform.client();
  });

  afterAll(async () => {
    await platform.stop();
    gateway.closeAllConnections();
    gateway.close();
  });

  const listed = (query: Query = {}) => api.GET('/api/v1/models', { params: { query } });
  const read = (model: string) => api.GET(MODEL, at({ model }));
  const update = (method: 'PATCH' | 'PUT', model: string, body: Schemas['UpdateModelRequest']) =>
    method === 'PUT' ? api.PUT(MODEL, at({ model }, { body })) : api.PATCH(MODEL, at({ model }, { body }));
  const create = (body: Schemas['CreateModelRequest']) => api.POST('/api/v1/models', { body });
  const remove = (model: string) => api.DELETE(MODEL, at({ model }));
  const values = async (query?: Query): Promise<string[]> => (await unwrap(listed(query))).map(({ value }) => value);
  const headers = (response: HttpResponse): unknown[] => [
    response.headers.get('x-catalogue-source'),
    response.headers.get('age'),
  ];

  it('are those of the gateway for a new organization without a configured default', async () => {
    const all = await answerOf(listed());
    expect(await values()).toEqual(['acme/large', 'acme/small', 'other/vector']);
    expect((all.body as Model[])[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      value: 'acme/large',
      label: 'acme/large',
      provider: 'acme',
      model_type: 'text-generation',
      logo: null,
      description: null,
      enabled: true,
      recommended: false,
      compatible_runtimes: ['default'],
      capabilities: { function_calling: true },
      pricing: { input_cost_per_token: 0.000003 },
      display_order: 1001,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(all.headers.get('x-total-count')).toBe('3');
    expect(headers(all)).toEqual(['gateway,stored', expect.stringMatching(/^\d+$/)]);
    expect(await unwrap(api.GET('/api/v1/models/default'))).toMatchObject({ value: 'acme/large' });
    expect(await unwrap(api.GET('/api/v1/models/providers'))).toEqual(['acme', 'other']);
    const one = await answerOf(read('acme/small'));
    expect([one.body, headers(one)]).toEqual([
      expect.objectContaining({ value: 'acme/small' }),
      ['gateway', expect.stringMatching(/^\d+$/)],
    ]);
    expect(await unwrap(read((one.body as Model).id))).toEqual(one.body);
  });

  it('are filtered and paged as one list', async () => {
    expect(await values({ provider: 'acme', limit: 1, skip: 1 })).toEqual(['acme/small']);
    expect(await values({ type: 'embedding' })).toEqual(['other/vector']);
    expect(await values({ runtime: 'default', provider: 'other' })).toEqual([]);
    expect(await values({ enabled: false })).toEqual([]);
    const url = `${platform.url}/api/v1/models?enabled=2`;
    expect((await call('GET', url, { key: platform.adminKey })).status).toBe(422);
  });

  it('of the gateway cannot be changed, but replaced by a stored one, until that is deleted', async () => {
    for (const request of [
      update('PATCH', 'acme/large', { enabled: false }),
      update('PUT', 'acme/large', { enabled: false }),
      remove('acme/large'),
    ]) {
      const refused = await answerOf(request);
      expect(refused).toMatchObject({
        status: 409,
        body: { detail: expect.stringMatching('acme/large exists only at the model gateway.* create a model') },
      });
      expect(refused.headers.get('x-error-code')).toBe('model_not_stored');
    }
    const { id } = await unwrap(read('acme/large'));
    const stored = await unwrap(create({ value: 'acme/large', label: 'Large', provider: 'ours', enabled: false }));
    expect(await values()).toEqual(['acme/large', 'acme/small', 'other/vector']);
    expect((await unwrap(listed()))[0]).toEqual(stored);
    for (const name of ['acme/large', id]) {
      const answer = await answerOf(read(name));
      expect([answer.body, headers(answer)]).toEqual([stored, ['stored', null]]);
    }
    expect(await unwrap(api.GET('/api/v1/models/default'))).toMatchObject({ value: 'acme/small' });
    expect((await answerOf(remove('acme/large'))).status).toBe(200);
    expect(await unwrap(read('acme/large'))).toMatchObject({ id, provider: 'acme' });
  });

  it('are returned exactly as sent, complete and minimal, through a cycle of writes', async () => {
    const minimal = { value: 'mine', label: 'Mine', provider: 'ours' };
    const created = await unwrap(create(minimal));
    expect(created).toEqual({
      ...minimal,
      id: expect.any(String),
      model_type: 'text-generation',
      logo: null,
      description: null,
      enabled: true,
      recommended: false,
      compatible_runtimes: [],
      capabilities: {},
      pricing: {},
      display_order: 1000,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await refusalOf(create(minimal))).toEqual([409, 'model_value_taken']);
    const full = {
      value: 'mine/too',
      label: ' Mine ',
      provider: 'ours',
      model_type: 'multimodal' as const,
      logo: '/logo.svg',
      description: 'd',
      enabled: false,
      recommended: true,
      compatible_runtimes: ['b', 'a'],
      capabilities: { z: 1, a: null },
      pricing: { input_cost_per_token: 1e-7 },
      display_order: -3,
    };
    const updated = await unwrap(update('PUT', 'mine', full));
    expect(updated).toEqual({ ...created, ...full, updated_at: updated.updated_at });
    expect(JSON.stringify(await unwrap(read('mine/too')))).toBe(JSON.stringify(updated));
    expect(await values({ limit: 1 })).toEqual(['mine/too']);
    const cleared = await unwrap(update('PATCH', 'mine/too', { description: '', logo: null }));
    expect(cleared).toMatchObject({ ...full, description: null, logo: null });
    expect(await unwrap(remove('mine/too'))).toEqual({ id: created.id, deleted: true });
    expect(await refusalOf(read(created.id))).toEqual([404, 'model_not_found']);
  });

  it('of the gateway are in the lease of an agent that names one', async () => {
    const body = { name: 'a', model_id: 'acme/small' };
    const { id: agent_id } = await unwrap(api.POST('/api/v1/agents', { body }));
    const { worker_id } = await unwrap(api.POST('/api/v1/workers/register', { body: { hostname: 'h' } }));
    await unwrap(api.POST('/api/v1/agents/{agent_id}/execute', at({ agent_id }, { body: { prompt: 'Go' } })));
    const poll = at({ worker_id }, { body: { wait_seconds: 20 } });
    const leases = await unwrap(api.POST('/api/v1/workers/{worker_id}/poll', poll));
    expect(leases).toEqual([
      expect.objectContaining({ model: expect.objectContaining({ value: 'acme/small', label: 'acme/small' }) }),
    ]);
  });

  it('are read while the gateway hangs, and refreshed when it responds again', async () => {
    const hung: ServerResponse[] = [];
    respond = (response) => hung.push(response);
    await eventually(async () => {
      expect(await values()).toContain('acme/small');
      expect(hung).not.toEqual([]);
    });
    let readMeanwhile = 0;
    // Each request to the gateway is aborted after six seconds, and another one follows.
    while (readMeanwhile < 50) {
      const waiting = hung.at(-1);
      expect(await values()).toContain('acme/small');
      if (waiting?.closed === false) readMeanwhile += 1;
    }
    respond = (response) => void response.end(JSON.stringify({ data: [{ id: 'new' }] }));
    await eventually(async () => expect(await values()).toEqual(['new']));
  });
});
