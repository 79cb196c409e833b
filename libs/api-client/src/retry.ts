/** What a retry does after a failure: wait that many milliseconds, or `null` to give up. */
export type RetryPolicy = (error: unknown, failures: number) => number | null;

/** Repeats an operation until it succeeds, the policy gives up or the signal ends it. */
export async function withRetries<T>(
  operation: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await operation();
    } catch (error) {
      const delay = signal.aborted ? null : policy(error, failures);
      if (delay === null) throw error;
      await pause(delay, signal);
    }
  }
}

/** Exponential backoff with full jitter over its upper half: between 50 % and 100 % of `base * 2^(failures-1)`, capped. */
export function backoff(failures: number, baseMs: number, capMs: number, random: () => number = Math.random): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return ceiling * (0.5 + random() / 2);
}

const RETRY_AFTER_CAP_MS = 60_000;

/** A `Retry-After` header (seconds, or an HTTP date) in milliseconds from now, at most a minute; `null` without one. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header === '') return null;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(delay) ? Math.min(RETRY_AFTER_CAP_MS, Math.max(0, delay)) : null;
}

/** Rejects with the signal's reason when that fires first. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
