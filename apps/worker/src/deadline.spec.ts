import { describe, expect, it } from '@jest/globals';
import { getEventListeners, once } from 'node:events';
import { withDeadline, withinSignal, withTimeout } from './deadline.js';

const never = new Promise<never>(() => undefined);

const late = () => new Error('late');

describe('a bounded wait', () => {
  it('returns the result, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    await expect(withTimeout(Promise.resolve(1), 3_600_000, late)).resolves.toBe(1);
    await expect(withinSignal(Promise.resolve(2), signal, 3_600_000)).resolves.toBe(2);
    await expect(withDeadline(signal, 3_600_000, async () => 3)).resolves.toBe(3);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects when its time is over', async () => {
    await expect(withTimeout(never, 1, late)).rejects.toThrow('late');
  });

  it('rejects when the grace period after the abort is over, even if the abort precedes the wait', async () => {
    await expect(withinSignal(never, AbortSignal.abort(new Error('enough')), 1)).rejects.toThrow('enough');
    const end = new AbortController();
    const waiting = withinSignal(never, end.signal, 1);
    end.abort(new Error('enough now'));
    await expect(waiting).rejects.toThrow('enough now');
  });

  it('aborts the signal of its operation after its time', async () => {
    const operation = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
    await expect(withDeadline(new AbortController().signal, 1, operation)).rejects.toThrow('no response within 1 ms');
  });

  it("aborts the operation's signal with the caller's, for the same reason", async () => {
    const end = new AbortController();
    const waiting = withDeadline(end.signal, 3_600_000, (signal) =>
      once(signal, 'abort').then(() => signal.throwIfAborted()),
    );
    end.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await expect(withDeadline(end.signal, 3_600_000, () => never)).rejects.toThrow('stopping');
  });

  it('rejects with the failure of the promise that it waits for', async () => {
    const failed = () => Promise.reject(new Error('broken'));
    const { signal } = new AbortController();
    await expect(withDeadline(signal, 3_600_000, failed)).rejects.toThrow('broken');
    await expect(withTimeout(failed(), 3_600_000, late)).rejects.toThrow('broken');
    await expect(withinSignal(failed(), signal, 3_600_000)).rejects.toThrow('broken');
  });
});
