import { describe, expect, it } from '@jest/globals';
import { OpenCalls } from './open-calls.js';

const own = { id: 's', subject: 'ann' };

describe('OpenCalls', () => {
  it('cancels the call of the same session and request only', () => {
    const calls = new OpenCalls();
    const begun = (session: typeof own, id: unknown): AbortSignal => calls.begin(session, id).signal;
    const signals = [
      begun(own, 1),
      begun(own, 2),
      begun(own, '1'),
      begun({ id: 't', subject: 'ann' }, 1),
      begun({ id: 's', subject: 'bob' }, 1),
    ];
    calls.cancel(own, 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false, false, false]);
  });

  it('forgets a call that has ended, but not a later one with the same id', () => {
    const calls = new OpenCalls();
    const first = calls.begin(own, 1);
    const second = calls.begin(own, 1);
    first.end();
    calls.cancel(own, 1);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
    second.end();
    calls.cancel(own, 1);
  });
});
