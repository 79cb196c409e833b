import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;
interface Job {
  readonly id: string;
  readonly webhook_url: string;
  readonly webhook_secret: string;
}

const FORM = 'application/x-www-form-urlencoded';
const MINUTES = 60;
const REJECTED = { detail: 'The signature is missing or not valid' };

const now = (): number => Math.floor(Date.now() / 1000);
const digest = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** How the senders sign a body with a secret at a time. */
const SIGN = {
  github: (secret: string, body: string): Headers => ({ 'X-Hub-Signature-256': `sha256=${digest(secret, body)}` }),
  stripe: (secret: string, body: string, at = now()): Headers => ({
    'Stripe-Signature': `t=${at},v1=${digest(secret, `${at}.${body}`)},v0=${'0'.repeat(64)}`,
  }),
  slack: (secret: string, body: string, at = now()): Headers => ({
    'X-Slack-Request-Timestamp': String(at),
    'X-Slack-Signature': `v0=${digest(secret, `v0:${at}:${body}`)}`,
  }),
};
const SENDERS = Object.entries(SIGN) as [keyof typeof SIGN, (typeof SIGN)['stripe']][];

let platform: Platform;
let agentId: unknown;

const send = (method: string, path: string, body?: unknown, unchecked = false): Promise<HttpResponse> =>
  call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, unchecked });

async function create(fields: Json = {}): Promise<Job> {
  const job = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Got {{ event }}', entity_id: agentId };
  const made = await send('POST', '/jobs', { ...job, ...fields });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject(fields);
  return made.body as Job;
}

const hook = ({ webhook_url }: Job, raw: string, headers: Headers, type = 'application/json'): Promise<HttpResponse> =>
  call('POST', webhook_url, { raw, headers: { 'Content-Type': type, ...headers }, unchecked: true });

async function promptOf(started: HttpResponse): Promise<unknown> {
  expect(started.status).toBe(200);
  const { execution_id } = started.body as Json;
  return ((await send('GET', `/executions/${String(execution_id)}`)).body as Json)['prompt'];
}

describe('webhooks of jobs know how their senders sign', () => {
  const body = '{ "event":  "\\u00e4" }\n';

  beforeAll(async () => {
    platform = await Platform.shared();
    agentId = ((await send('POST', '/agents', { name: 'hooked' })).body as Json)['id'];
  });

  afterAll(() => platform.stop());

  it.each(SENDERS)('%s: starts an execution, with the secret of the sender', async (sender, sign) => {
    const job = await create({ webhook_signature: sender, webhook_secret: 'The secret of the sender' });
    expect(await promptOf(await hook(job, body, sign(job.webhook_secret, body)))).toBe('Got ä');
  });

  it.each(SENDERS)('%s: rejects another secret, a changed body and a missing header', async (sender, sign) => {
    const job = await create({ webhook_signature: sender });
    const signed = sign(job.webhook_secret, body);
    const attempts = [
      hook(job, body, sign(`${job.webhook_secret}x`, body)),
      hook(job, body.replace('  ', ' '), signed),
      hook(job, body, { 'X-Webhook-Signature': digest(job.webhook_secret, body) }),
      ...Object.keys(signed).map((name) => hook(job, body, { ...signed, [name]: '' })),
    ];
    for (const { status, body: answer } of await Promise.all(attempts)) {
      expect([status, answer]).toEqual([401, REJECTED]);
    }
    const { total_executions } = (await send('GET', `/jobs/${job.id}`)).body as Json;
    expect(total_executions).toBe(0);
  });

  it.each(SENDERS.slice(1))('%s: rejects an old timestamp, and a repeated call', async (sender, sign) => {
    const job = await create({ webhook_signature: sender });
    for (const at of [now() - 6 * MINUTES, now() + 6 * MINUTES]) {
      expect((await hook(job, body, sign(job.webhook_secret, body, at))).status).toBe(401);
    }
    const signed = sign(job.webhook_secret, body, now() - 4 * MINUTES);
    expect((await hook(job, body, signed)).status).toBe(200);
    expect((await hook(job, body, signed)).status).toBe(401);
  });

  it('the header of GitHub is accepted without a setting', async () => {
    const job = await create();
    expect(job).toMatchObject({ webhook_signature: 'standard' });
    expect((await hook(job, body, SIGN.github(job.webhook_secret, body))).status).toBe(200);
    expect((await hook(job, body, SIGN.github('another secret', body))).status).toBe(401);
    expect((await hook(job, body, SIGN.slack(job.webhook_secret, body))).status).toBe(401);
  });

  it('forms are read as their fields, or as the JSON in their field payload', async () => {
    const job = await create({ webhook_signature: 'slack' });
    const forms = {
      [`payload=${encodeURIComponent('{"event": "a click"}')}`]: 'Got a click',
      'event=a+%26+b': 'Got a & b',
    };
    for (const [form, prompt] of Object.entries(forms)) {
      expect(await promptOf(await hook(job, form, SIGN.slack(job.webhook_secret, form), FORM))).toBe(prompt);
    }
    const broken = 'payload=%7B';
    expect((await hook(job, broken, SIGN.slack(job.webhook_secret, broken), FORM)).status).toBe(422);
  });

  it('the challenge of Slack is returned if it is signed, and starts nothing', async () => {
    const job = await create({ webhook_signature: 'slack' });
    const challenge = '{"type": "url_verification", "challenge": "3eZbrw1aB"}';
    const answered = await hook(job, challenge, SIGN.slack(job.webhook_secret, challenge));
    expect([answered.status, answered.body]).toEqual([200, { challenge: '3eZbrw1aB' }]);
    expect((await hook(job, challenge, SIGN.slack('another secret', challenge))).status).toBe(401);
    expect((await send('GET', `/jobs/${job.id}`)).body).toMatchObject({ total_executions: 0 });
  });

  it('a sender that cannot sign has the secret in its URL, which no log contains', async () => {
    const job = await create({ webhook_signature: 'none_with_secret_in_url', webhook_secret: 'of-the-sender & mine' });
    const at = (secret: string): Job => ({
      ...job,
      webhook_url: `${job.webhook_url}?secret=${encodeURIComponent(secret)}`,
    });
    expect(await promptOf(await hook(at(job.webhook_secret), body, {}))).toBe('Got ä');
    for (const rejected of [job, at(''), at('of-the-sender')]) {
      expect((await hook(rejected, body, {})).status).toBe(401);
    }
    expect((await hook(job, body, { 'X-Webhook-Signature': digest(job.webhook_secret, body) })).status).toBe(401);
    expect(platform.controlPlanes.map(({ process }) => process.log()).join('')).not.toContain('of-the-sender');
  });

  it('an update changes the sender and its secret, and shows the secret to the user for whom the job then runs', async () => {
    const job = await create();
    const change = { webhook_signature: 'stripe', webhook_secret: 'whsec_given_by_stripe' };
    const updated = await send('PATCH', `/jobs/${job.id}`, change);
    expect([updated.status, updated.body]).toMatchObject([200, { ...change, webhook_url: job.webhook_url }]);
    expect((await hook(job, body, SIGN.stripe(change.webhook_secret, body))).status).toBe(200);
    expect((await hook(job, body, SIGN.github(change.webhook_secret, body))).status).toBe(401);
  });

  it('a sender that chooses its secret is announced as long as the secret is not sent', async () => {
    const job = { name: 'j', trigger_type: 'webhook', prompt_template: 'p', entity_id: agentId };
    const noticeOf = async (fields: Json): Promise<string | null> =>
      (await send('POST', '/jobs', { ...job, ...fields })).headers.get('x-notice');
    expect(await noticeOf({ webhook_signature: 'slack' })).toContain('slack chooses its secret: set webhook_secret');
    const webhook_secret = 'The secret of the sender';
    for (const fields of [{}, { webhook_signature: 'github' }, { webhook_signature: 'slack', webhook_secret }]) {
      expect(await noticeOf(fields)).toBeNull();
    }
  });

  it('a secret is for webhook jobs, and long enough', async () => {
    const job = { name: 'j', prompt_template: 'p', entity_id: agentId };
    for (const fields of [
      { trigger_type: 'manual', webhook_secret: 'The secret of the sender' },
      { trigger_type: 'webhook', webhook_secret: 'short' },
      { trigger_type: 'webhook', webhook_secret: ' The secret of the sender' },
    ]) {
      const { status, body: answer } = await send('POST', '/jobs', { ...job, ...fields });
      expect([status, (answer as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'))]).toEqual([
        422,
        ['body.webhook_secret'],
      ]);
    }
  });
});
