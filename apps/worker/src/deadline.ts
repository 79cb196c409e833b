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

/** Rejects with `message` when the promise takes longer than `milliseconds`. What it does goes on; nobody waits for it. */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, message: string): Promise<T> {
  return unlessOverdue(promise, (overdue) => {
    const timer = setTimeout(() => overdue(new Error(message)), milliseconds);
    return () => clearTimeout(timer);
  });
}

/** The promise's own end, or the signal's reason when it fired and the promise did not end within `graceMs` after it. */
export function withinSignal<T>(promise: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  return unlessOverdue(promise, (overdue) => {
    let timer: NodeJS.Timeout | undefined;
    const arm = () => (timer = setTimeout(() => overdue(signal.reason as Error), graceMs));
    if (signal.aborted) arm();
    else signal.addEventListener('abort', arm, { once: true });
    return () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', arm);
    };
  });
}

/** The promise, or what the watch calls overdue with first; `watch` answers what ends it. */
async function unlessOverdue<T>(
  promise: Promise<T>,
  watch: (overdue: (reason: Error) => void) => () => void,
): Promise<T> {
  let endWatch: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => (endWatch = watch(reject)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    endWatch();
  }
}
