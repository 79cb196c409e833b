import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type Answer, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

const GATEWAY_KEY = 'the-key-of-the-model-gateway';
const webhookJob = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'later' };

describe('answers that hold secrets, under an Idempotency-Key', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true, env: { LLM_GATEWAY_API_KEY: GATEWAY_KEY } });
  });

  afterAll(() => platform.stop());

  const post = (path: string, body: unknown, idempotencyKey?: string, key = platform.adminKey): Promise<Answer> =>
    call('POST', `${platform.url}/api/v1${path}`, {
      key,
      body,
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });

  const made = async (path: string, body: unknown): Promise<string> =>
    String(((await post(path, body)).body as { id: unknown }).id);

  const routes: readonly [secret: string, what: string, path: () => Promise<string>, body: object][] = [
    ['worker_token', 'a new environment', async () => '/environments', { name: 'sealed' }],
    ['webhook_secret', 'a new job', async () => '/jobs', webhookJob],
    ['webhook_secret', 'a rotated webhook', async () => `/jobs/${await made('/jobs', webhookJob)}/webhook/rotate`, {}],
    ['llm_gateway_api_key', 'a registered worker', async () => '/workers/register', {}],
    [
      'llm_gateway_api_key',
      'a started worker',
      async () => `/worker-queues/${await made('/environments/default/worker-queues', { name: 'manned' })}/start`,
      {},
    ],
  ];

  it.each(routes)('are the same again, and %s of %s is nowhere kept with them', async (secret, what, pathOf, body) => {
    const path = await pathOf();
    const first = await post(path, body, what);
    const second = await post(path, body, what);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    const told = String((first.body as Record<string, unknown>)[secret]);
    expect(told.length).toBeGreaterThan(20);
    const kept = await platform.sql('SELECT * FROM idempotency_keys WHERE key = $1', [what]);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(told);
  });

  it('are told again to the API key they were told to, in either scheme, and to no other', async () => {
    const key = String(
      (await new PlatformApi(platform).expect(201, 'POST', '/api/v1/auth/keys', { name: 'x' }))['key'],
    );
    const send = (options: CallOptions): Promise<Answer> =>
      call('POST', `${platform.url}/api/v1/environments`, {
        body: { name: 'told-once' },
        headers: { 'Idempotency-Key': 'told-once' },
        ...options,
      });
    const first = await send({ key });
    expect(first.status).toBe(201);
    expect((await send({ key, scheme: 'UserKey' })).body).toEqual(first.body);
    const refused = await send({ key: platform.adminKey });
    const faults = [{ loc: ['header', 'Idempotency-Key'], type: 'value_error', msg: expect.any(String) }];
    expect([refused.status, refused.body]).toEqual([422, { detail: faults }]);
  });
});
