import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type Answer, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

const GATEWAY_KEY = 'the-key-of-the-model-gateway';
const webhookJob = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'later' };

describe('answers that hold secrets, under an Idempotency-Key', () => {
  let platform: Platform;
  let otherKey: string;

  beforeAll(async () => {
    platform = await Platform.start({ platformApi: true, env: { LLM_GATEWAY_API_KEY: GATEWAY_KEY } });
    const minted = await new PlatformApi(platform).expect(201, 'POST', '/api/v1/auth/keys', { name: 'other' });
    otherKey = String(minted['key']);
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

  it.each(routes)(
    'are the same again, but for %s of %s, which another API key is not told and nothing keeps readable',
    async (secret, what, pathOf, body) => {
      const path = await pathOf();
      const first = await post(path, body, what);
      const again = await post(path, body, what);
      const byAnother = await post(path, body, what, otherKey);
      const replayed = [first, again, byAnother].map(({ headers }) => headers.get('idempotent-replayed'));
      expect(replayed).toEqual([null, 'true', 'true']);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect([byAnother.status, byAnother.body]).toEqual([first.status, { ...(first.body as object), [secret]: null }]);
      const told = String((first.body as Record<string, unknown>)[secret]);
      expect(told.length).toBeGreaterThan(20);
      const kept = await platform.sql('SELECT * FROM idempotency_keys WHERE key = $1', [what]);
      expect(kept).toHaveLength(1);
      expect(JSON.stringify(kept)).not.toContain(told);
    },
  );

  it('are told whole to the API key they were told to, in either scheme', async () => {
    const send = (options: CallOptions): Promise<Answer> =>
      call('POST', `${platform.url}/api/v1/environments`, {
        body: { name: 'told-again' },
        headers: { 'Idempotency-Key': 'told-again' },
        ...options,
      });
    const first = await send({ key: otherKey });
    expect(first.status).toBe(201);
    expect((await send({ key: platform.adminKey })).body).toEqual({ ...(first.body as object), worker_token: null });
    expect((await send({ key: otherKey, scheme: 'UserKey' })).body).toEqual(first.body);
  });

  it('are told without secrets to nobody who asks for something else', async () => {
    await post('/environments', { name: 'asked' }, 'asked', otherKey);
    const refused = await post('/environments', { name: 'asked-else' }, 'asked');
    const faults = [{ loc: ['header', 'Idempotency-Key'], type: 'value_error', msg: expect.any(String) }];
    expect([refused.status, refused.body]).toEqual([422, { detail: faults }]);
  });
});
