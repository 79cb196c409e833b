import { describe, expect, it } from '@jest/globals';
import type { Job, JobWebhookCall } from '../jobs/job.types.js';
import { challengeOf, readJobWebhookPayload } from './job-webhook-payload.js';

describe('challengeOf', () => {
  const challenge = { type: 'url_verification', challenge: 'text' };
  const of = (webhook_signature: Job['webhook_signature'], body: unknown): string | undefined =>
    challengeOf({ job: { webhook_signature } as Job, call: { payload: () => body } as JobWebhookCall });

  it('returns the challenge of a job that Slack calls', () => {
    expect(of('slack', challenge)).toBe('text');
  });

  it.each([undefined, {}, [challenge], { ...challenge, type: 'event_callback' }, { ...challenge, challenge: 1 }])(
    'returns nothing for %j',
    (body) => expect(of('slack', body)).toBeUndefined(),
  );

  it('returns nothing for jobs of other senders', () => expect(of('standard', challenge)).toBeUndefined());
});

describe('readJobWebhookPayload', () => {
  it('reads parameters, config_override and metadata, each optional', () => {
    const full = { parameters: { a: 1 }, config_override: { b: 2 }, metadata: { c: 3 } };
    expect(readJobWebhookPayload(full)).toEqual(full);
    expect(readJobWebhookPayload({ config_override: { b: 2 }, metadata: null })).toEqual({
      config_override: { b: 2 },
      metadata: {},
    });
  });

  it.each([{ a: 1 }, { parameters: { a: 1 }, event: 'push' }, { parameters: 'text' }, { metadata: [] }])(
    'uses any other object as the parameters: %j',
    (body) => expect(readJobWebhookPayload(body)).toEqual({ parameters: body, metadata: {} }),
  );

  it('accepts an absent or empty body', () => {
    expect(readJobWebhookPayload(undefined)).toEqual({ metadata: {} });
    expect(readJobWebhookPayload({})).toEqual({ metadata: {} });
  });

  it.each([[[1]], ['text'], [7], [null], [true]])('rejects %j, which is not an object', (body) =>
    expect(() => readJobWebhookPayload(body)).toThrow('Input should be a valid object'),
  );

  it('rejects metadata that is too long', () => {
    expect(() => readJobWebhookPayload({ metadata: { a: 'x'.repeat(20_000) } })).toThrow('at most 16384 characters');
  });
});
