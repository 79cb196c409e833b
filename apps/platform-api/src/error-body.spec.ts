import { describe, expect, it } from '@jest/globals';
import type { DescribedError } from '@app/http';
import { runInContext } from '@app/observability';
import { platformErrorBody } from './error-body.js';

function described(error: Partial<DescribedError>): DescribedError {
  return {
    status: 400,
    code: 'malformed_request',
    message: 'Message',
    faults: [],
    headers: {},
    unexpected: false,
    ...error,
  };
}

describe('platformErrorBody', () => {
  it.each<[Pick<DescribedError, 'status' | 'code'>, string]>([
    [{ status: 401, code: 'key_missing' }, 'AUTH_REQUIRED'],
    [{ status: 401, code: 'key_invalid' }, 'INVALID_API_KEY'],
    [{ status: 403, code: 'insufficient_scope' }, 'INSUFFICIENT_SCOPE'],
    [{ status: 403, code: 'webhook_signature_invalid' }, 'FORBIDDEN'],
    [{ status: 404, code: 'agent_not_found' }, 'NOT_FOUND'],
    [{ status: 409, code: 'idempotent_request_running' }, 'CONFLICT'],
    [{ status: 413, code: 'payload_too_large' }, 'PAYLOAD_TOO_LARGE'],
    [{ status: 415, code: 'unsupported_media_type' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ status: 422, code: 'request_invalid' }, 'VALIDATION_ERROR'],
    [{ status: 503, code: 'store_unavailable' }, 'SERVICE_UNAVAILABLE'],
    [{ status: 400, code: 'malformed_request' }, 'BAD_REQUEST'],
    [{ status: 405, code: 'malformed_request' }, 'BAD_REQUEST'],
    [{ status: 500, code: 'internal_error' }, 'INTERNAL_ERROR'],
  ])('maps %j to %s', (failure, errorCode) => {
    expect(platformErrorBody(described(failure))).toEqual({
      error: expect.stringMatching(/^[A-Z]/),
      details: 'Message',
      errorCode,
      status: failure.status,
    });
  });

  it('contains, with RATE_LIMITED, the seconds after which a retry may succeed', () => {
    const error = described({ status: 429, code: 'unknown_credentials_too_many', headers: { 'Retry-After': '7' } });
    expect(platformErrorBody(error)).toMatchObject({ errorCode: 'RATE_LIMITED', status: 429, retryAfter: 7 });
  });

  it('lists every fault of a request with its location', () => {
    const faults: DescribedError['faults'] = [
      { loc: ['body', 'name'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'scopes', '1'], msg: 'Unknown scope: x', type: 'enum' },
    ];
    const { details } = platformErrorBody(described({ status: 422, faults }));
    expect(details).toBe('body.name: Field required; body.scopes.1: Unknown scope: x');
  });

  it('contains the request id for unexpected errors', () => {
    const context = { requestId: 'request-1', traceId: '0'.repeat(32), spanId: null, traceState: null };
    const error = described({ status: 500, message: 'Internal server error', unexpected: true });
    const { details } = runInContext(context, () => platformErrorBody(error));
    expect(details).toContain('request-1');
  });
});
