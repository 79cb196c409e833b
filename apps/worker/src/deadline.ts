import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';

/**
 * Runs an operation with a signal that is aborted when the caller's signal is, or after `milliseconds`. Leaves no
 * listener on the caller's signal, which may live as long as the process; `AbortSignal.any` leaks memory there on Node
 * 20.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  milliseconds: number,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const policy = timeout(milliseconds, TimeoutStrategy.Cooperative);
  let isAborted = false;
  policy.onTimeout(() => (isAborted = true));
  try {
    return await policy.execute((context) => operation(context.signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw isAborted ? new Error(`no response within ${milliseconds} ms`) : error;
  }
}

/** Rejects with the error of `late` if the promise takes longer than `milliseconds`. Does not cancel its operation. */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  try {
    return await timeout(milliseconds, TimeoutStrategy.Aggressive).execute(() => promise);
  } catch (error) {
    throw error instanceof TaskCancelledError ? late() : error;
  }
}

/** Settles with the promise, but no later than `graceMs` after the signal is aborted: then rejects with its reason. */
export async function withinSignal<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const settled = new AbortController();
  const expire = async (): Promise<never> => {
    if (!signal.aborted) await once(signal, 'abort', { signal: settled.signal });
    await delay(graceMs, undefined, { signal: settled.signal });
    throw signal.reason;
  };
  try {
    return await Promise.race([promise, expire()]);
  } finally {
    settled.abort();
  }
}
