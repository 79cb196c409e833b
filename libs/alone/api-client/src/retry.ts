import { halfJitterGenerator } from 'cockatiel';

/** Returns the delay in milliseconds before the next attempt, or `null` to give up. */
export type RetryPolicy = (error: unknown, failures: number) => number | null;

/**
 * Repeats an operation until it succeeds, the policy gives up or the signal is aborted. cockatiel has such a loop, but
 * ignores the signal during a delay and then makes another attempt: a stop would take as long as the delay.
 */
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

export interface Backoff {
  /** Maximum delay after the first failure, in milliseconds. It doubles with each further failure. */
  readonly baseDelayMs: number;
  /** Maximum delay, in milliseconds. */
  readonly maxDelayMs: number;
}

/**
 * Returns the delay after a number of failures: random, between 50 % and 100 % of `baseDelayMs * 2^(failures - 1)`,
 * capped.
 */
export function backoff(failures: number, { baseDelayMs, maxDelayMs }: Backoff): number {
  const options = { initialDelay: baseDelayMs, maxDelay: maxDelayMs, exponent: 2, generator: halfJitterGenerator };
  return halfJitterGenerator(failures - 1, options)[0];
}

/** The longest `Retry-After` that a client waits for. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Parses a `Retry-After` header (seconds, or an HTTP date) to milliseconds from now; `null` without a valid header. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header === '') return null;
  const delay = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(delay) ? Math.max(0, delay) : null;
}

/** Like `parseRetryAfter`, at most a minute: for clients that retry without a limit. */
export function readRetryAfter(header: string | null, now: number): number | null {
  const delay = parseRetryAfter(header, now);
  return delay === null ? null : Math.min(MAX_RETRY_AFTER_MS, delay);
}

/** Resolves after a delay. Rejects with the reason of the signal if the signal is aborted first. */
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
