import type { Middleware } from 'openapi-fetch';

export interface RetryOptions {
  /** Tries after the first one. */
  readonly retries: number;
  /** Milliseconds before the first retry; each further one waits twice as long, with jitter. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRIES: RetryOptions = { retries: 4, baseDelayMs: 200, maxDelayMs: 10_000 };

const SAFE_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
const TRANSIENT = new Set([429, 502, 503, 504]);

/**
 * A `fetch` that repeats what may be repeated: requests that change nothing when done twice, and POSTs that carry an
 * `Idempotency-Key`. A refusal's `Retry-After` (seconds) is honoured.
 */
export function retryingFetch(options: RetryOptions = DEFAULT_RETRIES, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const repeatable = SAFE_METHODS.has(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 0; ; attempt += 1) {
      const last = !repeatable || attempt >= options.retries;
      try {
        const response = await send(last ? request : request.clone());
        if (last || !TRANSIENT.has(response.status)) return response;
        await response.body?.cancel();
        await pause(retryAfterMs(response) ?? backoffMs(attempt, options), request.signal);
      } catch (error) {
        if (last || request.signal.aborted) throw error;
        await pause(backoffMs(attempt, options), request.signal);
      }
    }
  };
}

/** Gives every POST an `Idempotency-Key`, so that repeating it is safe; one that is set already stays. */
export const idempotentPosts: Middleware = {
  onRequest({ request }) {
    if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID());
    }
    return request;
  },
};

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

export function backoffMs(attempt: number, options: RetryOptions = DEFAULT_RETRIES): number {
  const ceiling = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** attempt);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

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
