/**
 * Runs an operation under a signal that fires with the caller's, or after `milliseconds`. Nothing stays attached to the caller's
 * signal afterwards, which matters for one that lives as long as the process.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  milliseconds: number,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const either = new AbortController();
  const relay = () => either.abort(signal.reason);
  const timer = setTimeout(() => either.abort(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  signal.addEventListener('abort', relay, { once: true });
  try {
    return await operation(either.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', relay);
  }
}

/** The promise's own end, or the signal's reason when it fired and the promise did not end within `graceMs` after it. */
export async function withinSignal<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let arm: () => void = () => undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    arm = () => (timer = setTimeout(() => reject(signal.reason as Error), graceMs));
    if (signal.aborted) arm();
    else signal.addEventListener('abort', arm, { once: true });
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', arm);
  }
}
