import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

const webhookJob = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'later' };

describe('responses with secrets under an Idempotency-Key', () => {
  let platform: Platform;
  let otherKey: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    const minted = await new PlatformApi(platform).expect(201, 'POST', '/api/v1/auth/keys', { name: 'other' });
    otherKey = String(minted['key']);
  });

  afterAll(() => platform.stop());

  const post = (path: string, body: unknown, idempotencyKey?: string, key = platform.adminKey): Promise<HttpResponse> =>
    call('POST', `${platform.url}/api/v1${path}`, {
      key,
      body,
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });

  const createResource = async (path: string, body: unknown): Promise<string> =>
    String(((await post(path, body)).body as { id: unknown }).id);

  const routes: readonly [secret: string, resource: string, path: () => Promise<string>, body: object][] = [
    ['worker_token', 'a new environment', async () => '/environments', { name: 'sealed' }],
    ['webhook_secret', 'a new job', async () => '/jobs', webhookJob],
    [
      'webhook_secret',
      'a rotated webhook',
      async () => `/jobs/${await createResource('/jobs', webhookJob)}/webhook/rotate`,
      {},
    ],
    ['secret', 'a new webhook', async () => '/webhooks', { url: 'http://127.0.0.1:9/sealed' }],
    [
      'secret',
      'the rotated secret of a webhook',
      async () => `/webhooks/${await createResource('/webhooks', { url: 'http://127.0.0.1:9/rotated' })}/rotate`,
      {},
    ],
    ['llm_gateway_api_key', 'a registered worker', async () => '/workers/register', {}],
    [
      'llm_gateway_api_key',
      'a started worker',
      async () =>
        `/worker-queues/${await createResource('/environments/default/worker-queues', { name: 'manned' })}/start`,
      {},
    ],
  ];

  it.each(routes)(
    'are replayed, but %s of %s is null for another API key and is not stored in plain text',
    async (secret, resource, pathOf, body) => {
      const path = await pathOf();
      const first = await post(path, body, resource);
      const second = await post(path, body, resource);
      const byOtherKey = await post(path, body, resource, otherKey);
      const replayed = [first, second, byOtherKey].map(({ headers }) => headers.get('idempotent-replayed'));
      expect(replayed).toEqual([null, 'true', 'true']);
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      expect([byOtherKey.status, byOtherKey.body]).toEqual([
        first.status,
        { ...(first.body as object), [secret]: null },
      ]);
      const value = String((first.body as Record<string, unknown>)[secret]);
      expect(value.length).toBeGreaterThan(20);
      const kept = await platform.sql('SELECT * FROM idempotency_keys WHERE key = $1', [resource]);
      expect(kept).toHaveLength(1);
      expect(JSON.stringify(kept)).not.toContain(value);
    },
  );

  it('are replayed completely to the same API key, in either scheme', async () => {
    const send = (options: CallOptions): Promise<HttpResponse> =>
      call('POST', `${platform.url}/api/v1/environments`, {
        body: { name: 'replayed' },
        headers: { 'Idempotency-Key': 'replayed' },
        ...options,
      });
    const first = await send({ key: otherKey });
    expect(first.status).toBe(201);
    expect((await send({ key: platform.adminKey })).body).toEqual({ ...(first.body as object), worker_token: null });
    expect((await send({ key: otherKey, scheme: 'UserKey' })).body).toEqual(first.body);
  });

  it('are not replayed to a different request', async () => {
    await post('/environments', { name: 'rejected' }, 'rejected', otherKey);
    const rejected = await post('/environments', { name: 'different' }, 'rejected');
    const faults = [{ loc: ['header', 'Idempotency-Key'], type: 'value_error', msg: expect.any(String) }];
    expect([rejected.status, rejected.body]).toEqual([422, { detail: faults }]);
  });
});
