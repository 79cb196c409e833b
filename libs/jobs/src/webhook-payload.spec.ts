import { describe, expect, it } from '@jest/globals';
import { readWebhookPayload } from './webhook-payload.js';

describe("a webhook's body", () => {
  it('gives parameters, an override and metadata by their names, each optional', () => {
    const full = { parameters: { a: 1 }, config_override: { b: 2 }, metadata: { c: 3 } };
    expect(readWebhookPayload(full)).toEqual(full);
    expect(readWebhookPayload({ config_override: { b: 2 }, metadata: null })).toEqual({
      config_override: { b: 2 },
      metadata: {},
    });
  });

  it.each([{ a: 1 }, { parameters: { a: 1 }, event: 'push' }, { parameters: 'text' }, { metadata: [] }])(
    'becomes the parameters as a whole where it is any other object: %j',
    (body) => expect(readWebhookPayload(body)).toEqual({ parameters: body, metadata: {} }),
  );

  it('may be absent or empty', () => {
    expect(readWebhookPayload(undefined)).toEqual({ metadata: {} });
    expect(readWebhookPayload({})).toEqual({ metadata: {} });
  });

  it.each([[[1]], ['text'], [7], [null], [true]])('is refused where it is no object: %j', (body) =>
    expect(() => readWebhookPayload(body)).toThrow('Input should be a valid object'),
  );

  it('is refused where its metadata is too long for a history', () => {
    expect(() => readWebhookPayload({ metadata: { a: 'x'.repeat(20_000) } })).toThrow('at most 16384 characters');
  });
});
