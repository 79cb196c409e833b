import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@app/api-client';
import { describeFailure } from './failure';

const failed = (status: number, body: unknown): string =>
  describeFailure(new ApiError(status, null, body, null)).detail;

describe('the text of a failure', () => {
  it('is that of the control plane, or that of the platform API', () => {
    expect(failed(409, { detail: 'The policy is in use' })).toBe('The policy is in use');
    expect(failed(422, { detail: [{ loc: ['body', 'name'], msg: 'Field required' }] })).toBe('name: Field required');
    expect(failed(409, { error: 'Conflict', details: 'The user still has API keys' })).toBe(
      'The user still has API keys',
    );
    expect(failed(400, { error: 'Invalid', details: ['body.name: Field required'] })).toBe('body.name: Field required');
    expect(failed(429, { error: 'Too many requests' })).toBe('Too many requests');
  });
});
