import { describe, expect, it } from '@jest/globals';
import { idempotencyKeyReused, invalid, notFound, throttled, unavailable } from '@app/kernel';
import { ForbiddenException, HttpException, NotFoundException } from '@nestjs/common';
import { describeError } from './describe-error.js';
import { HttpProblem } from './http-problem.js';
import { InvalidRequest } from './invalid-request.js';

describe('describeError', () => {
  it('reports a value too long for an index as a fault of the request', () => {
    const refused = Object.assign(new Error('index row size 9032 exceeds btree version 4 maximum 2704'), {
      code: '54000',
    });
    for (const error of [refused, Object.assign(new Error('query failed'), { driverError: refused })]) {
      const { status, faults, unexpected } = describeError(error, 'POST');
      expect([status, unexpected]).toEqual([422, false]);
      expect(faults).toEqual([{ loc: ['body'], msg: expect.not.stringContaining('btree'), type: 'string_too_long' }]);
    }
  });

  it('allows a retry when a store is unreachable, as reported by its driver or by our own code', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    for (const error of [
      refused,
      cancelled,
      unavailable('message_store_unavailable', 'The message store cannot be reached'),
    ]) {
      const again = { status: 503, headers: { 'Retry-After': '1' }, unexpected: false };
      expect(describeError(error, 'POST')).toMatchObject(again);
    }
  });

  it('names no time for a retry that cannot succeed', () => {
    const error = unavailable('secrets_key_missing', 'The platform has no key for secrets');
    const { status, headers } = describeError(error, 'POST');
    expect([status, headers]).toEqual([503, {}]);
  });

  it.each([
    [1, 1],
    [1000, 1],
    [1001, 2],
    [86_399_001, 86_400],
  ])('states the time until a retry in whole seconds, rounded up: %d ms', (retryAfterMs, seconds) => {
    for (const error of [
      throttled('unknown_credentials_too_many', 'Too many', retryAfterMs),
      new HttpProblem('rate_limited', 'Too many', retryAfterMs),
    ]) {
      expect(describeError(error, 'GET').headers).toEqual({ 'Retry-After': String(seconds) });
    }
  });

  it.each([
    ['53100', 'could not extend file "base/1/2": No space left on device'],
    ['53200', 'out of memory'],
    ['53300', 'sorry, too many clients already'],
    [undefined, "OOM command not allowed when used memory > 'maxmemory'."],
    [undefined, "-OOM command not allowed when used memory > 'maxmemory'. script: 1a, on @user_script:3."],
    [undefined, 'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.'],
  ])('allows a retry when a store is full (%s %s)', (code, message) => {
    const full = Object.assign(new Error(message), code === undefined ? {} : { code });
    for (const error of [full, Object.assign(new Error('query failed'), { driverError: full })]) {
      const again = { status: 503, headers: { 'Retry-After': '1' }, unexpected: false };
      expect(describeError(error, 'POST')).toMatchObject(again);
    }
  });

  it('does not treat an error as a full store because of a word in its message', () => {
    expect(describeError(new Error('no such room: OOM 5'), 'GET')).toMatchObject({ status: 500 });
  });

  it.each([
    [notFound('job_not_found', 'Job'), 404, 'job_not_found'],
    [invalid([{ path: ['name'], msg: 'Wrong', type: 'value_error' }]), 422, 'request_invalid'],
    [idempotencyKeyReused('request'), 422, 'idempotency_key_reused'],
    [new InvalidRequest([{ loc: ['path', 'id'], msg: 'Wrong', type: 'value_error' }]), 422, 'request_invalid'],
    [new HttpProblem('server_busy', 'Try again'), 503, 'server_busy'],
    [new NotFoundException('Cannot GET /x'), 404, 'route_not_found'],
    [new HttpException('Malformed URI', 400), 400, 'malformed_request'],
    [new ForbiddenException('No'), 403, 'forbidden'],
    [new HttpException('Slow down', 429), 429, 'rate_limited'],
    [new HttpException('Failure', 502), 500, 'internal_error'],
    [Object.assign(new Error('statement timeout'), { code: '57014' }), 503, 'store_timeout'],
    [Object.assign(new Error('deadlock detected'), { code: '40P01' }), 503, 'store_timeout'],
    [Object.assign(new Error('could not serialize access'), { code: '40001' }), 503, 'store_timeout'],
    [Object.assign(new Error('lock not available'), { code: '55P03' }), 503, 'store_timeout'],
    [Object.assign(new Error('object in use'), { code: '55006' }), 503, 'store_timeout'],
    [Object.assign(new Error('idle-in-transaction timeout'), { code: '25P03' }), 503, 'store_timeout'],
    [Object.assign(new Error('transaction timeout'), { code: '25P04' }), 503, 'store_timeout'],
    [Object.assign(new Error('read-only transaction'), { code: '25006' }), 503, 'store_unavailable'],
    [Object.assign(new Error('idle session timeout'), { code: '57P05' }), 503, 'store_unavailable'],
    [Object.assign(new Error('input/output error'), { code: '58030' }), 503, 'store_unavailable'],
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 503, 'store_unavailable'],
    [Object.assign(new Error('PostgreSQL did not respond'), { code: 'ETIMEDOUT' }), 503, 'store_unavailable'],
    [new Error('timeout expired'), 503, 'store_unavailable'],
    [new Error('CLUSTERDOWN The cluster is down'), 503, 'store_unavailable'],
    [new Error('MOVED 1 127.0.0.1:7001'), 503, 'store_unavailable'],
    [new Error('Too many Cluster redirections. Last error: Error: Connection is closed.'), 503, 'store_unavailable'],
    [new Error('ERR Error running script: -READONLY You cannot write'), 503, 'store_unavailable'],
    [new Error('Client has encountered a connection error and is not queryable'), 503, 'store_unavailable'],
    [new Error('secret'), 500, 'internal_error'],
    [undefined, 500, 'internal_error'],
  ])('gives %p the status %d and the code %s', (error, status, code) => {
    expect(describeError(error, 'POST')).toMatchObject({ status, code });
  });

  it('locates the faults of a domain error in the request', () => {
    const tooLarge = invalid([{ path: ['limit'], msg: 'Wrong', type: 'value_error' }]);
    expect(describeError(tooLarge, 'GET').faults).toMatchObject([{ loc: ['query', 'limit'] }]);
    expect(describeError(idempotencyKeyReused('event'), 'POST').faults).toEqual([
      {
        loc: ['header', 'Idempotency-Key'],
        msg: 'This Idempotency-Key was used with another event',
        type: 'value_error',
      },
    ]);
  });

  it('replaces the messages of the framework', () => {
    expect(describeError(new HttpException('request entity too large', 413), 'POST').message).toBe(
      'The body is too large',
    );
    expect(describeError(new HttpException('incorrect header check', 400), 'POST').message).toBe('Bad request');
  });

  it('does not disclose an unexpected error', () => {
    expect(describeError(new Error('secret'), 'GET')).toMatchObject({
      status: 500,
      unexpected: true,
      message: 'Internal server error',
    });
  });
});
