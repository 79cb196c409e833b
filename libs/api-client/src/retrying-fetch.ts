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
 * Whether a conflict's text says that the first try of the same request still runs. Errors have no code on the wire; this
 * one speaks of the header, and no other conflict does.
 */
export function isStillRunning(status: number, text: string): boolean {
  return status === 409 && text.includes('Idempotency-Key');
}

/**
 * A `fetch` that repeats what may be repeated: requests that change nothing when done twice, and POSTs that carry an
 * `Idempotency-Key`, also while the first try of the same still runs. A refusal's `Retry-After` is honoured, up to a minute.
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
        if (last || !(await isTransient(response))) return response;
        await response.body?.cancel();
        await pause(readRetryAfter(response.headers.get('retry-after'), Date.now()) ?? delay, request.signal);
      } catch (error) {
        if (last || request.signal.aborted) throw error;
        await pause(delay, request.signal);
      }
    }
  };
}

async function isTransient(response: Response): Promise<boolean> {
  if (TRANSIENT.has(response.status)) return true;
  return response.status === 409 && isStillRunning(response.status, await response.clone().text());
}

/** Keeps no answer to give again, because it is shown once: repeated, it would make a key that nobody has seen. */
const KEY_MINTING = '/api/v1/auth/keys';

/** Gives every POST but one an `Idempotency-Key`, so that repeating it is safe; one that is set already stays. */
export const idempotentPosts: Middleware = {
  onRequest({ request, schemaPath }) {
    if (request.method === 'POST' && schemaPath !== KEY_MINTING && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID());
    }
    return request;
  },
};
