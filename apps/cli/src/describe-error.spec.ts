import { ApiError } from '@app/api-client';
import { describe, expect, it } from '@jest/globals';
import { describeError } from './describe-error.js';

const response = (status: number, body: unknown, retryAfter: number | null = null): ApiError =>
  new ApiError(status, null, body, retryAfter);

describe('an error of a command', () => {
  it('names each fault of a rejected request', () => {
    const detail = [
      { loc: ['body', 'steps', 0, 'type'], msg: 'is unknown', type: 'x' },
      { loc: ['body'], msg: 'is too large', type: 'y' },
    ];
    expect(describeError(response(422, { detail }))).toMatchObject({
      message: 'steps.0.type: is unknown\nbody: is too large',
      exitCode: 65,
    });
  });

  it.each([
    [response(404, { detail: 'No such job' }), 'No such job', 1],
    [response(409, { detail: 'In use by a job' }), 'In use by a job', 1],
    [
      response(401, { error: 'Unauthorized', details: 'The key was revoked', errorCode: 'X' }),
      'The key was revoked',
      77,
    ],
    [response(403, { detail: 'Missing scope: admin' }), 'Missing scope: admin', 77],
    [response(418, ''), 'The platform responded with status 418.', 1],
  ])('has the message of the platform and an exit code', (error, message, exitCode) => {
    expect(describeError(error)).toMatchObject({ message, exitCode });
  });

  it('says when to try again', () => {
    expect(describeError(response(429, { details: 'Too many requests' }, 7))).toMatchObject({
      exitCode: 75,
      advice: 'Try again in 7 seconds.',
    });
    expect(describeError(response(503, undefined))).toMatchObject({ exitCode: 75, advice: 'Try again.' });
  });

  it('names the reason why the platform is not reachable', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(describeError(new TypeError('fetch failed', { cause }))).toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
      exitCode: 69,
    });
  });

  it('of any other class is a general failure with its message', () => {
    expect(describeError(new Error('odd'))).toMatchObject({ message: 'odd', exitCode: 1, advice: null });
  });
});
