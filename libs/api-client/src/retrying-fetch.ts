import type { Middleware } from 'openapi-fetch';
import { backoff, pause, readRetryAfter } from './retry.js';

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
 * `Idempotency-Key`. A refusal's `Retry-After` is honoured, up to a minute.
 */
export function retryingFetch(options: RetryOptions = DEFAULT_RETRIES, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const repeatable = SAFE_METHODS.has(request.method) || request.headers.has('idempotency-key');
    for (let failures = 1; ; failures += 1) {
      const last = !repeatable || failures > options.retries;
      const delay = backoff(failures, options.baseDelayMs, options.maxDelayMs);
      try {
        const response = await send(last ? request : request.clone());
        if (last || !TRANSIENT.has(response.status)) return response;
        await response.body?.cancel();
        await pause(readRetryAfter(response.headers.get('retry-after'), Date.now()) ?? delay, request.signal);
      } catch (error) {
        if (last || request.signal.aborted) throw error;
        await pause(delay, request.signal);
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
