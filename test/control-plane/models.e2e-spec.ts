import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

const LISTED = [
  {
    model_name: 'acme/large',
    litellm_params: { model: 'acme/large-1', api_key: 'sk-inside' },
    model_info: { mode: 'chat', input_cost_per_token: 0.000003, supports_function_calling: true },
  },
  { model_name: 'acme/small', litellm_params: { model: 'acme/small-1' }, model_info: { mode: 'chat' } },
  { model_name: 'other/vector', model_info: { mode: 'embedding', litellm_provider: 'other' } },
];

describe('models over HTTP', () => {
  let platform: Platform;
  let gateway: Server;
  let key: string;
  let respond: (response: ServerResponse) => void = () => undefined;
  const list = (response: ServerResponse): void => void response.end(JSON.stringify({ data: LISTED }));

  beforeAll(async () => {
    respond = list;
    gateway = createServer((_request, response) => respond(response));
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const { port } = gateway.address() as AddressInfo;
    const env = { LLM_GATEWAY_URL: `http://127.0.0.1:${port}/v1`, MODEL_CATALOGUE_REFRESH_SECONDS: '1' };
    platform = await Platform.start({ env });
    key = platform.adminKey;
  });

  afterAll(async () => {
    await platform.stop();
    gateway.closeAllConnections();
    gateway.close();
  });

  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key, body });
  const values = ({ body }: HttpResponse): unknown[] => (body as Json[]).map(({ value }) => value);
  const headers = (response: HttpResponse): unknown[] => [
    response.headers.get('x-catalogue-source'),
    response.headers.get('age'),
  ];

  it('are those of the gateway for a new organization without any setting of a default', async () => {
    const listed = await send('GET', '/models');
    expect(values(listed)).toEqual(['acme/large', 'acme/small', 'other/vector']);
    expect((listed.body as Json[])[0]).toEqual({
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
    expect(listed.headers.get('x-total-count')).toBe('3');
    expect(headers(listed)).toEqual(['gateway,stored', expect.stringMatching(/^\d+$/)]);
    expect((await send('GET', '/models/default')).body).toMatchObject({ value: 'acme/large' });
    expect((await send('GET', '/models/providers')).body).toEqual(['acme', 'other']);
    const one = await send('GET', '/models/acme/small');
    expect([one.body, headers(one)]).toEqual([
      expect.objectContaining({ value: 'acme/small' }),
      ['gateway', expect.stringMatching(/^\d+$/)],
    ]);
    expect((await send('GET', `/models/${(one.body as Json)['id']}`)).body).toEqual(one.body);
  });

  it('are filtered and paged as one list', async () => {
    expect(values(await send('GET', '/models?provider=acme&limit=1&skip=1'))).toEqual(['acme/small']);
    expect(values(await send('GET', '/models?type=embedding'))).toEqual(['other/vector']);
    expect(values(await send('GET', '/models?runtime=default&provider=other'))).toEqual([]);
    expect(values(await send('GET', '/models?enabled=false'))).toEqual([]);
    expect((await send('GET', '/models?enabled=2')).status).toBe(422);
  });

  it('of the gateway cannot be changed, but replaced by a stored one, until that is deleted', async () => {
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const refused = await send(method, '/models/acme/large', method === 'DELETE' ? undefined : { enabled: false });
      expect(refused).toMatchObject({
        status: 409,
        body: { detail: expect.stringMatching('acme/large exists only at the model gateway.* create a model') },
      });
      expect(refused.headers.get('x-error-code')).toBe('model_not_stored');
    }
    const id = ((await send('GET', '/models/acme/large')).body as Json)['id'];
    const body = { value: 'acme/large', label: 'Large', provider: 'ours', enabled: false };
    const stored = await send('POST', '/models', body);
    expect(stored.status).toBe(201);
    const listed = await send('GET', '/models');
    expect(values(listed)).toEqual(['acme/large', 'acme/small', 'other/vector']);
    expect((listed.body as Json[])[0]).toEqual(stored.body);
    for (const name of ['acme/large', id]) {
      const read = await send('GET', `/models/${String(name)}`);
      expect([read.body, headers(read)]).toEqual([stored.body, ['stored', null]]);
    }
    expect((await send('GET', '/models/default')).body).toMatchObject({ value: 'acme/small' });
    expect((await send('DELETE', '/models/acme/large')).status).toBe(200);
    expect((await send('GET', '/models/acme/large')).body).toMatchObject({ id, provider: 'acme' });
  });

  it('come back exactly as sent, whole and minimal, through a cycle of writes', async () => {
    const minimal = { value: 'mine', label: 'Mine', provider: 'ours' };
    const created = (await send('POST', '/models', minimal)).body as Json;
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
    expect((await send('POST', '/models', minimal)).status).toBe(409);
    const full = {
      value: 'mine/too',
      label: ' Mine ',
      provider: 'ours',
      model_type: 'multimodal',
      logo: '/logo.svg',
      description: 'd',
      enabled: false,
      recommended: true,
      compatible_runtimes: ['b', 'a'],
      capabilities: { z: 1, a: null },
      pricing: { input_cost_per_token: 1e-7 },
      display_order: -3,
    };
    const updated = (await send('PUT', '/models/mine', full)).body as Json;
    expect(updated).toEqual({ ...created, ...full, updated_at: updated['updated_at'] });
    expect(JSON.stringify((await send('GET', '/models/mine/too')).body)).toBe(JSON.stringify(updated));
    expect(values(await send('GET', '/models?limit=1'))).toEqual(['mine/too']);
    const cleared = (await send('PATCH', '/models/mine/too', { description: '', logo: null })).body as Json;
    expect(cleared).toMatchObject({ ...full, description: null, logo: null });
    expect((await send('DELETE', '/models/mine/too')).body).toEqual({ id: created['id'], deleted: true });
    expect((await send('GET', `/models/${String(created['id'])}`)).status).toBe(404);
  });

  it('run: the lease of an agent has the model of the gateway that it names', async () => {
    const agent = (await send('POST', '/agents', { name: 'a', model_id: 'acme/small' })).body as Json;
    const worker = (await send('POST', '/workers/register', { hostname: 'h' })).body as Json;
    await send('POST', `/agents/${String(agent['id'])}/execute`, { prompt: 'Go' });
    const poll = await send('POST', `/workers/${String(worker['worker_id'])}/poll`, { wait_seconds: 20 });
    expect(poll.body).toEqual([
      expect.objectContaining({ model: expect.objectContaining({ value: 'acme/small', label: 'acme/small' }) }),
    ]);
  });

  it('are read while the gateway hangs, and refreshed when it responds again', async () => {
    const hung: ServerResponse[] = [];
    respond = (response) => hung.push(response);
    await eventually(async () => {
      expect(values(await send('GET', '/models'))).toContain('acme/small');
      expect(hung).toHaveLength(1);
    });
    let readMeanwhile = 0;
    for (let n = 0; n < 50; n += 1) {
      expect(values(await send('GET', '/models'))).toContain('acme/small');
      if (hung[0]?.closed === false) readMeanwhile += 1;
    }
    // The request to the gateway is given up after six seconds. A slow machine may need longer for all 50.
    expect(readMeanwhile).toBeGreaterThan(10);
    respond = (response) => void response.end(JSON.stringify({ data: [{ id: 'new' }] }));
    await eventually(async () => expect(values(await send('GET', '/models'))).toEqual(['new']));
  });
});
