import { retryingFetch, type RetryOptions } from '@app/api-client';
import type { Clock } from '@app/kernel';

const RETRIES: RetryOptions = { retries: 2, baseDelayMs: 250, maxDelayMs: 5_000 };
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * A `fetch` for requests to the model gateway, which are all repeatable: it retries after network failures, overload and
 * server errors, as long as no response has begun.
 */
export function modelFetch(clock: Clock): typeof fetch {
  return retryingFetch(RETRIES, {
    isRepeatable: () => true,
    isTransient: ({ status }) => TRANSIENT_STATUSES.has(status),
    now: () => clock.millis(),
  });
}
