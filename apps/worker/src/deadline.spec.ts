import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { withDeadline, withinSignal, withTimeout } from './deadline.js';

const never = new Promise<never>(() => undefined);

describe('a wait that ends in time', () => {
  it('gives what was waited for, and leaves nothing on the signal', async () => {
    const { signal } = new AbortController();
    await expect(withTimeout(Promise.resolve(1), 3_600_000, 'late')).resolves.toBe(1);
    await expect(withinSignal(Promise.resolve(2), signal, 3_600_000)).resolves.toBe(2);
    await expect(withDeadline(signal, 3_600_000, async () => 3)).resolves.toBe(3);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is over after its time', async () => {
    await expect(withTimeout(never, 1, 'too late')).rejects.toThrow('too late');
  });

  it('is over some time after the signal, also one that fired before', async () => {
    await expect(withinSignal(never, AbortSignal.abort(new Error('enough')), 1)).rejects.toThrow('enough');
    const end = new AbortController();
    const waiting = withinSignal(never, end.signal, 1);
    end.abort(new Error('enough now'));
    await expect(waiting).rejects.toThrow('enough now');
  });

  it('tells its operation when the time is up', async () => {
    const operation = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
    await expect(withDeadline(new AbortController().signal, 1, operation)).rejects.toThrow('no answer within 1 ms');
  });
});
