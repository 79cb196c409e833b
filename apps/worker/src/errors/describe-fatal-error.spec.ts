import { describe, expect, it } from '@jest/globals';
import { ControlPlaneError } from '../control-plane/control-plane.errors.js';
import { describeFatalError } from './describe-fatal-error.js';

describe('describeFatalError', () => {
  it('names the variable that contains a refused key, and returns no stack', () => {
    const entry = describeFatalError(
      new ControlPlaneError('forbidden', 'start failed with 401: Unknown key', null, 'req-1'),
    );
    expect(entry).toEqual({
      fields: { reason: 'start failed with 401: Unknown key', request_id: 'req-1' },
      message: expect.stringMatching(/^the control plane refuses WORKER_API_KEY: .*runners:manage/),
    });
  });

  it('returns only the reason of any other error response', () => {
    const entry = describeFatalError(new ControlPlaneError('refused', 'poll failed with 422: No'));
    expect(entry).toEqual({
      fields: { reason: 'poll failed with 422: No', request_id: null },
      message: 'worker failed',
    });
  });

  it('returns the whole error if it is not an error response', () => {
    const error = new Error('broken');
    expect(describeFatalError(error)).toEqual({ fields: { err: error }, message: 'worker failed' });
  });
});
