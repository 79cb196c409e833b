import { describe, expect, it } from '@jest/globals';
import { ControlPlaneError } from './control-plane.errors.js';
import { lastWords } from './last-words.js';

describe('the last words of a worker', () => {
  it('name the variable where its key is refused, without a stack', () => {
    const said = lastWords(new ControlPlaneError('forbidden', 'start was answered 401: Unknown key', null, 'req-1'));
    expect(said).toEqual({
      fields: { reason: 'start was answered 401: Unknown key', request_id: 'req-1' },
      message: expect.stringMatching(/^the control plane refuses WORKER_API_KEY: .*runners:manage/),
    });
  });

  it('are the reason alone where the control plane refuses something else', () => {
    const said = lastWords(new ControlPlaneError('refused', 'poll was answered 422: No'));
    expect(said).toEqual({
      fields: { reason: 'poll was answered 422: No', request_id: null },
      message: 'the worker cannot go on',
    });
  });

  it('hold the whole error where it is one of our own', () => {
    const error = new Error('broken');
    expect(lastWords(error)).toEqual({ fields: { err: error }, message: 'the worker cannot go on' });
  });
});
