import { createHmac } from 'node:crypto';
import { newSigningSecret } from '@app/kernel';
import { describe, expect, it } from '@jest/globals';
import type { JobWebhookCall } from '../jobs/job.types.js';
import { isSigned, newWebhookToken } from './job-webhook-signature.js';

// The example of the Standard Webhooks specification.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const example: JobWebhookCall = {
  rawBody: Buffer.from('{"test": 2432232314}'),
  payload: () => ({ test: 2432232314 }),
  signature: null,
  webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  webhookTimestamp: '1614265330',
  webhookSignature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const signedAt = new Date(1_614_265_330_000);
const plain = { ...example, webhookId: null, webhookTimestamp: null, webhookSignature: null };
const hex = createHmac('sha256', secret).update(example.rawBody).digest('hex');
const later = (milliseconds: number): Date => new Date(signedAt.getTime() + milliseconds);

describe('isSigned', () => {
  it('accepts the hex digest of the body, with or without a prefix, ignoring case', () => {
    for (const signature of [hex, `sha256=${hex}`, hex.toUpperCase()]) {
      expect(isSigned({ ...plain, signature }, secret, signedAt)).toBe(true);
    }
  });

  it.each([
    null,
    '',
    'sha256=',
    hex.slice(2),
    `${hex}00`,
    `sha1=${hex}`,
    'ä'.repeat(64),
    hex.replace(/./, (c) => (c === '0' ? '1' : '0')),
  ])('rejects the signature %j', (signature) =>
    expect(isSigned({ ...plain, signature }, secret, signedAt)).toBe(false),
  );

  it('rejects the signature of another body or with another secret', () => {
    expect(isSigned({ ...plain, signature: hex, rawBody: Buffer.from('{}') }, secret, signedAt)).toBe(false);
    expect(isSigned({ ...plain, signature: hex }, newSigningSecret(), signedAt)).toBe(false);
  });

  it('accepts a Standard Webhooks signature, also among signatures of other keys and versions', () => {
    expect(isSigned(example, secret, signedAt)).toBe(true);
    const several = `v1a,xxxx v1,AAAA ${example.webhookSignature} v2,`;
    expect(isSigned({ ...example, webhookSignature: several }, secret, signedAt)).toBe(true);
  });

  it('accepts timestamps up to five minutes before or after now', () => {
    expect(isSigned(example, secret, later(300_000))).toBe(true);
    expect(isSigned(example, secret, later(-300_000))).toBe(true);
    expect(isSigned(example, secret, later(300_001))).toBe(false);
    expect(isSigned(example, secret, later(-300_001))).toBe(false);
  });

  it.each([
    { webhookId: null },
    { webhookId: '' },
    { webhookId: 'msg_other' },
    { webhookTimestamp: null },
    { webhookTimestamp: '1614265331' },
    { webhookTimestamp: 'now' },
    { webhookSignature: null },
    { webhookSignature: 'v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
  ])('rejects a Standard Webhooks call with %j, even if its plain signature is valid', (change) => {
    expect(isSigned({ ...example, signature: hex, ...change }, secret, signedAt)).toBe(false);
  });
});

describe('newWebhookToken', () => {
  it('returns a random token of at least 32 base62 characters', () => {
    expect(newWebhookToken()).toMatch(/^[0-9A-Za-z]{32,}$/);
    expect(newWebhookToken()).not.toBe(newWebhookToken());
  });
});
