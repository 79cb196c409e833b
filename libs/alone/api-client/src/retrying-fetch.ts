import type { Middleware } from 'openapi-fetch';
import { errorCodeOf, isTransient } from './error-code.js';
import { backoff, MAX_RETRY_AFTER_MS, parseRetryAfter, withRetries, type Backoff } from './retry.js';

export interface RetryOptions extends Backoff {
  /** Maximum number of attempts after the first one. */
  readonly retries: number;
  /** The longest `Retry-After` to wait for, in milliseconds; the response is returned if its own exceeds it. Default: a minute. */
  readonly maxRetryAfterMs?: number;
}

export const DEFAULT_RETRIES: RetryOptions = { retries: 4, baseDelayMs: 200, maxDelayMs: 10_000 };

export interface RetryRules {
  /** Returns whether the request may be sent again if it is unknown whether the server has executed it. */
  readonly isRepeatable: (request: Request) => boolean;
  /** Returns whether the request may succeed later. */
  readonly isTransient: (response: Response) => boolean;
  /** Returns the current time in milliseconds, with which dates in `Retry-After` are compared. */
  readonly now: () => number;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/** The rules of both APIs: idempotent methods and requests with an `Idempotency-Key` are repeatable. */
const API_RULES: RetryRules = {
  isRepeatable: ({ method, headers }) => SAFE_METHODS.has(method) || headers.has('idempotency-key'),
  isTransient: (response) => !response.ok && isTransient(response.status, errorCodeOf(response)),
  now: Date.now,
};

/** A response after which the request is retried. */
class TransientResponse extends Error {
  constructor(readonly response: Response) {
    super(`HTTP ${response.status}`);
  }
}

/** With this status the server has not executed the request, so every request may be repeated. */
const TOO_MANY_REQUESTS = 429;

/**
 * The requests to which an unread body belongs. A Request follows the signal of its caller only while it is reachable:
 * if it were collected, a body that never ends would be awaited although the signal is aborted. For the same reason an
 * attempt gets the signal of the request itself and not that of a clone.
 */
const requestsOf = new WeakMap<ReadableStream, readonly unknown[]>();

/**
 * Returns a `fetch` that repeats requests after network failures and transient responses, with exponential back-off and
 * at the earliest after the `Retry-After` of the response. After 429 it repeats every request, otherwise only
 * repeatable ones. It returns the response if no attempt is left or if its `Retry-After` exceeds `maxRetryAfterMs`.
 */
export function retryingFetch(options: RetryOptions = DEFAULT_RETRIES, rules: RetryRules = API_RULES): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { retries, maxRetryAfterMs = MAX_RETRY_AFTER_MS } = options;
    const isRepeatable = rules.isRepeatable(request);
    const attempt = async (): Promise<Response> => {
      const { signal } = request;
      const response = await fetch(retries === 0 ? request : request.clone(), { signal });
      if (rules.isTransient(response)) throw new TransientResponse(response);
      return response;
    };
    const delayAfter = (failure: unknown, failures: number): number | null => {
      if (failures > retries) return null;
      const delay = backoff(failures, options);
      if (!(failure instanceof TransientResponse)) return isRepeatable ? delay : null;
      const { status, headers } = failure.response;
      const retryAfter = parseRetryAfter(headers.get('retry-after'), rules.now()) ?? 0;
      if (retryAfter > maxRetryAfterMs || !(isRepeatable || status === TOO_MANY_REQUESTS)) return null;
      // Releases the connection. `cancel` rejects if the connection broke before the end of the body.
      void failure.response.body?.cancel().catch(() => undefined);
      return Math.max(retryAfter, delay);
    };
    const sent = async (): Promise<Response> => {
      try {
        return await withRetries(attempt, delayAfter, request.signal);
      } catch (error) {
        if (error instanceof TransientResponse) return error.response;
        throw error;
      }
    };
    const response = await sent();
    if (response.body !== null) requestsOf.set(response.body, [input, request]);
    return response;
  };
}

/**
 * Adds an `Idempotency-Key` to each POST that may be repeated and has none, also to naturally idempotent ones: the retry
 * rules recognize a repeatable POST by the header. Removes it from every other POST: the API ignores it there, so a
 * retry could execute the request twice, for example create a second API key.
 *
 * @param repeatable the paths of the repeatable POSTs, as in the OpenAPI document
 */
export function idempotentPosts(repeatable: ReadonlySet<string>): Middleware {
  return {
    onRequest({ request, schemaPath }) {
      if (request.method !== 'POST') return request;
      if (!repeatable.has(schemaPath)) request.headers.delete('idempotency-key');
      else if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
      return request;
    },
  };
}
