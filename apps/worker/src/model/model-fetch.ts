import { retryingFetch, type RetryOptions } from '@app/api-client';
import type { Clock } from '@app/kernel';
import { tracedFetch } from '../tracing/trace-headers.js';
import { boundedFetch } from '../bounded-fetch.js';

const RETRIES: RetryOptions = { retries: 2, baseDelayMs: 250, maxDelayMs: 5_000 };
/** Maximum size of one response; a stream has a few hundred bytes per token. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576;
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * A `fetch` for requests to the model gateway, which are all repeatable: it retries after network failures, overload
 * and server errors, as long as no response has begun. A response that is too large fails. Requests carry the active span.
 */
export function modelFetch(clock: Clock): typeof fetch {
  const retrying = retryingFetch(RETRIES, {
    isRepeatable: () => true,
    isTransient: ({ status }) => TRANSIENT_STATUSES.has(status),
    now: () => clock.millis(),
  });
  return tracedFetch(boundedFetch(retrying, MAX_RESPONSE_BYTES));
}
