import { createHmac } from 'node:crypto';
import { newSigningSecret } from '@app/kernel';
import { describe, expect, it } from '@jest/globals';
import { WEBHOOK_SIGNATURES, type JobWebhookCall, type WebhookSignature } from '../jobs/job.types.js';
import { newWebhookToken, verifyCall } from './job-webhook-signature.js';
import { PUBLISHED, type PublishedCall } from '../testing/published-calls.js';

type Headers = Readonly<Partial<Record<string, string>>>;

const callOf = (body: string, headers: Headers, urlSecret: string | null = null): JobWebhookCall => ({
  rawBody: Buffer.from(body),
  payload: () => undefined,
  headers,
  urlSecret,
});
/** Returns the message id of an accepted call, undefined for a rejected one. */
const accepted = (scheme: WebhookSignature, call: JobWebhookCall, secret: string, now: Date): unknown =>
  verifyCall(call, { webhook_signature: scheme, webhook_secret: secret }, now)?.messageId;

describe('verifyCall, standard', () => {
  // The example of the Standard Webhooks specification.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const example: Headers = { 'webhook-id': id, 'webhook-timestamp': '1614265330', 'webhook-signature': signature };
  const signedAt = new Date(1_614_265_330_000);
  const later = (milliseconds: number): Date => new Date(signedAt.getTime() + milliseconds);
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  const verify = (headers: Headers, more: { body?: string; secret?: string; now?: Date } = {}): unknown =>
    accepted('standard', callOf(more.body ?? body, headers), more.secret ?? secret, more.now ?? signedAt);
  const plain = (sent: string): Headers => ({ 'x-webhook-signature': sent });

  it('accepts the hex digest of the body, with or without a prefix, ignoring case', () => {
    for (const sent of [hex, `sha256=${hex}`, hex.toUpperCase()]) expect(verify(plain(sent))).toBeNull();
  });

  it.each([
    '',
    'sha256=',
    hex.slice(2),
    `${hex}00`,
    `sha1=${hex}`,
    'ä'.repeat(64),
    hex.replace(/./, (c) => (c === '0' ? '1' : '0')),
  ])('rejects the signature %j', (sent) => expect(verify(plain(sent))).toBeUndefined());

  it('rejects a call without headers, and the signature of another body or with another secret', () => {
    expect(verify({})).toBeUndefined();
    expect(verify(plain(hex), { body: '{}' })).toBeUndefined();
    expect(verify(plain(hex), { secret: newSigningSecret() })).toBeUndefined();
  });

  it('accepts the header of GitHub unless there is one of the others', () => {
    const github = { 'x-hub-signature-256': `sha256=${hex}` };
    expect(verify(github)).toBeNull();
    expect(verify({ ...github, ...plain('f'.repeat(64)) })).toBeUndefined();
    expect(verify({ ...github, 'webhook-id': id })).toBeUndefined();
  });

  it('accepts a Standard Webhooks signature, also among signatures of other keys and versions', () => {
    expect(verify(example)).toBe(id);
    expect(verify({ ...example, 'webhook-signature': `v1a,xxxx v1,AAAA ${signature} v2,` })).toBe(id);
  });

  it('accepts timestamps up to five minutes before or after now', () => {
    for (const ms of [300_000, -300_000]) expect(verify(example, { now: later(ms) })).toBe(id);
    for (const ms of [300_001, -300_001]) expect(verify(example, { now: later(ms) })).toBeUndefined();
  });

  it.each([
    { 'webhook-id': undefined },
    { 'webhook-id': '' },
    { 'webhook-id': 'msg_other' },
    { 'webhook-timestamp': undefined },
    { 'webhook-timestamp': '1614265331' },
    { 'webhook-timestamp': 'now' },
    { 'webhook-signature': undefined },
    { 'webhook-signature': 'v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
  ])('rejects a Standard Webhooks call with %j, even if its plain signature is valid', (change) => {
    expect(verify({ ...example, ...plain(hex), ...(change as Headers) })).toBeUndefined();
  });

  it('rejects a Standard Webhooks call if the secret of the job is not a key in base64', () => {
    for (const own of ["It's a Secret to Everybody", 'whsec_', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=']) {
      expect(verify(example, { secret: own })).toBeUndefined();
    }
  });
});

describe.each(Object.entries(PUBLISHED) as [WebhookSignature, PublishedCall][])('verifyCall, %s', (scheme, example) => {
  const { secret, body, headers, signedAt } = example;
  const now = new Date(signedAt * 1000);
  const verify = (call: Partial<PublishedCall>, at = now): unknown => {
    const sent = { ...example, ...call };
    return accepted(scheme, callOf(sent.body, sent.headers), sent.secret, at);
  };

  it('accepts the published example', () => expect(verify({})).toBeDefined());

  it('rejects a changed body, another secret, and missing or empty headers', () => {
    expect(verify({ body: `${body} ` })).toBeUndefined();
    expect(verify({ secret: `${secret}x` })).toBeUndefined();
    for (const name of Object.keys(headers)) {
      expect([name, verify({ headers: { ...headers, [name]: '' } })]).toEqual([name, undefined]);
      const others = Object.entries(headers).filter(([other]) => other !== name);
      expect([name, verify({ headers: Object.fromEntries(others) })]).toEqual([name, undefined]);
    }
  });

  it('is accepted by its own scheme only, and that of GitHub by default', () => {
    const schemes = WEBHOOK_SIGNATURES.filter(
      (other) => accepted(other, callOf(body, headers), secret, now) !== undefined,
    );
    expect(schemes).toEqual(scheme === 'github' ? ['standard', 'github'] : [scheme]);
  });

  it('accepts timestamps up to five minutes before or after now, and gives each such call an id', () => {
    const at = (ms: number): unknown => verify({}, new Date(signedAt * 1000 + ms));
    for (const ms of [300_000, -300_000]) expect(at(ms)).toBe(verify({}));
    for (const ms of [300_001, -300_001]) expect(at(ms)).toBe(example.isTimed ? undefined : null);
    if (example.isTimed) expect(verify({})).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('verifyCall, stripe', () => {
  const { secret, body, headers, signedAt } = PUBLISHED.stripe;
  const header = headers['stripe-signature'];
  const verify = (sent: string): unknown =>
    accepted('stripe', callOf(body, { 'stripe-signature': sent }), secret, new Date(signedAt * 1000));

  it('accepts one valid signature among several, with spaces between the parts', () => {
    expect(verify(`v1=${'0'.repeat(64)}, ${header.replaceAll(',', ', ')}`)).toBeDefined();
  });

  it.each([
    ['a second timestamp', `${header},t=${signedAt}`],
    ['the signature of tests only', header.replace('v1=', 'v2=')],
    ['a timestamp that is not signed', header.replace(/^t=\d+/, `t=${signedAt + 1}`)],
    ['no number as timestamp', header.replace(/^t=\d+/, 't=now')],
  ])('rejects %s', (_, sent) => expect(verify(sent)).toBeUndefined());
});

describe('verifyCall, none_with_secret_in_url', () => {
  const secret = 'a secret of my own';
  const verify = (urlSecret: string | null, headers: Headers = {}): unknown =>
    accepted('none_with_secret_in_url', callOf('{}', headers, urlSecret), secret, new Date());

  it('accepts the secret in the URL only', () => {
    const digest = createHmac('sha256', secret).update('{}').digest('hex');
    expect(verify(secret)).toBeNull();
    for (const sent of [null, '', `${secret} `, secret.slice(1)]) expect(verify(sent)).toBeUndefined();
    expect(verify(null, { 'x-webhook-signature': digest })).toBeUndefined();
  });

  it.each(['standard', 'github', 'stripe', 'slack'] as const)('is not accepted by %s', (scheme) => {
    expect(accepted(scheme, callOf('{}', {}, secret), secret, new Date())).toBeUndefined();
  });
});

describe('newWebhookToken', () => {
  it('returns a random token of at least 32 base62 characters', () => {
    expect(newWebhookToken()).toMatch(/^[0-9A-Za-z]{32,}$/);
    expect(newWebhookToken()).not.toBe(newWebhookToken());
  });
});
