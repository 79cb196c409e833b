import { describe, expect, it } from '@jest/globals';
import { OpenCalls } from './open-calls.js';

describe('OpenCalls', () => {
  it('cancels the call of the same session and request only', () => {
    const calls = new OpenCalls();
    const begun = (session: string, id: unknown): AbortSignal => calls.begin(session, id).signal;
    const [own, otherId, otherType, otherSession] = [begun('s', 1), begun('s', 2), begun('s', '1'), begun('t', 1)];
    calls.cancel('s', 1);
    expect([own, otherId, otherType, otherSession].map(({ aborted }) => aborted)).toEqual([true, false, false, false]);
  });

  it('forgets a call that has ended, but not a later one with the same id', () => {
    const calls = new OpenCalls();
    const first = calls.begin('s', 1);
    const second = calls.begin('s', 1);
    first.end();
    calls.cancel('s', 1);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
    second.end();
    calls.cancel('s', 1);
  });
});
