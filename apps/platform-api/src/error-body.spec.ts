import { describe, expect, it } from '@jest/globals';
import type { DescribedError } from '@app/http';
import { runInContext } from '@app/observability';
import { platformErrorBody } from './error-body.js';

function described(error: Partial<DescribedError>): DescribedError {
  return { status: 400, code: 'any', message: 'Message', faults: [], headers: {}, unexpected: false, ...error };
}

describe('the error body of the platform API', () => {
  it.each([
    [{ status: 401, code: 'key_missing' }, 'AUTH_REQUIRED'],
    [{ status: 401, code: 'key_invalid' }, 'INVALID_API_KEY'],
    [{ status: 403, code: 'insufficient_scope' }, 'INSUFFICIENT_SCOPE'],
    [{ status: 403, code: 'policy_denied' }, 'FORBIDDEN'],
    [{ status: 404, code: 'agent_not_found' }, 'NOT_FOUND'],
    [{ status: 409, code: 'idempotent_request_running' }, 'CONFLICT'],
    [{ status: 413, code: 'payload_too_large' }, 'PAYLOAD_TOO_LARGE'],
    [{ status: 415, code: 'wire_problem' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ status: 422, code: 'request_invalid' }, 'VALIDATION_ERROR'],
    [{ status: 503, code: 'unavailable' }, 'SERVICE_UNAVAILABLE'],
    [{ status: 400, code: 'bad_request' }, 'BAD_REQUEST'],
    [{ status: 405, code: 'http_error' }, 'BAD_REQUEST'],
    [{ status: 500, code: 'internal_error' }, 'INTERNAL_ERROR'],
  ])('words %j as %s', (failure, errorCode) => {
    expect(platformErrorBody(described(failure))).toEqual({
      error: expect.stringMatching(/^[A-Z]/),
      details: 'Message',
      errorCode,
      status: failure.status,
    });
  });

  it('names each fault of a request and where it lies', () => {
    const faults = [
      { loc: ['body', 'name'], msg: 'Field required', type: 'missing' as const },
      { loc: ['body', 'scopes', '1'], msg: 'Unknown scope: x', type: 'enum' as const },
    ];
    const { details } = platformErrorBody(described({ status: 422, faults }));
    expect(details).toBe('body.name: Field required; body.scopes.1: Unknown scope: x');
  });

  it('gives the request id with a failure that nobody foresaw', () => {
    const context = { requestId: 'request-1', traceId: '0'.repeat(32) };
    const error = described({ status: 500, message: 'Internal server error', unexpected: true });
    const { details } = runInContext(context, () => platformErrorBody(error));
    expect(details).toContain('request-1');
  });
});
