import { describe, expect, it } from '@jest/globals';
import { isTransient } from './error-code.js';

describe('a failed request', () => {
  it.each([
    [409, 'idempotent_request_running', true],
    [409, 'lease_lost', false],
    [429, 'rate_limited', true],
    [503, 'store_unavailable', true],
    [400, 'body_incomplete', true],
    [500, 'internal_error', false],
  ])('with status %i and the code %s is transient according to the code: %s', (status, code, transient) => {
    expect(isTransient(status, code)).toBe(transient);
  });

  it.each([null, '', 'code_of_a_newer_server', 'constructor'])(
    'with the code %j is transient according to its status',
    (code) => {
      for (const status of [408, 429, 502, 503, 504]) expect(isTransient(status, code)).toBe(true);
      for (const status of [400, 401, 404, 409, 422, 500]) expect(isTransient(status, code)).toBe(false);
    },
  );
});
