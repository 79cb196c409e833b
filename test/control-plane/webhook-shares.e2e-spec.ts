import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

const BURST = 20;
/** Rounds of one request with a key and one signed call. */
const ROUNDS = 50;
/** More calls than the share admits. */
const UNSIGNED = 5 * BURST;

interface Hook {
  readonly url: string;
  readonly secret: string;
}

describe('calls of the webhooks of jobs', () => {
  let platform: Platform;
  beforeAll(async () => {
    const share = { FAIR_SHARE_PER_SECOND: '1', FAIR_SHARE_BURST: `${BURST}` };
    platform = await Platform.start({ env: share });
  });
  afterAll(() => platform.stop());

  async function newHook(key: string): Promise<Hook> {
    const body = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'none' };
    const { status, body: job } = await call('POST', `${platform.url}/api/v1/jobs`, { key, body });
    expect(status).toBe(201);
    const { webhook_url: url, webhook_secret: secret } = job as Record<string, string>;
    return { url: url ?? '', secret: secret ?? '' };
  }

  function send({ url, secret }: Hook): Promise<HttpResponse> {
    const raw = '{}';
    const signature = createHmac('sha256', secret).update(raw).digest('hex');
    return call('POST', url, { raw, headers: { 'X-Webhook-Signature': signature } });
  }

  it('count towards the share of their organization, like the requests of its keys', async () => {
    const limited = (await platform.createOrganization('limited')).adminKey;
    const hook = await newHook(limited);
    const [answers, startedAt]: [HttpResponse[], number] = [[], performance.now()];
    for (let n = 0; n < ROUNDS; n += 1) {
      const own = call('GET', `${platform.url}/api/v1/agents`, { key: limited });
      answers.push(...(await Promise.all([own, send(hook)])));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const rejected = answers.filter(({ status }) => status === 429);
    // The share grows by one each second; the request that created the job counts too.
    expect(answers.length - rejected.length).toBeLessThanOrEqual(BURST + seconds + 1);
    expect(rejected[0]?.headers.get('x-error-code')).toBe('rate_limited');
    expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = (await platform.createOrganization('other')).adminKey;
    expect((await call('GET', `${platform.url}/api/v1/agents`, { key: other })).status).toBe(200);
    expect((await send(await newHook(other))).status).toBe(200);
  });

  it('without a valid signature leave the share to the organization', async () => {
    const victim = (await platform.createOrganization('victim')).adminKey;
    const hook = await newHook(victim);
    const forged = { 'X-Webhook-Signature': '0'.repeat(64) };
    for (let n = 0; n < UNSIGNED; n += 1) {
      const { status } = await call('POST', hook.url, { raw: '{}', headers: n % 2 === 0 ? {} : forged });
      expect(status).toBe(401);
    }
    // One request created the job.
    for (let n = 2; n < BURST; n += 1) {
      expect((await call('GET', `${platform.url}/api/v1/agents`, { key: victim })).status).toBe(200);
    }
    expect((await send(hook)).status).toBe(200);
  });
});
