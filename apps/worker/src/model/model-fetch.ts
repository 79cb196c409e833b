import { retryingFetch } from '@app/api-client';
import type { Clock, JsonObject } from '@app/kernel';
import { readNumber } from '../json-fields.js';
import { tracedFetch } from '../tracing/trace-headers.js';
import { boundedFetch } from '../bounded-fetch.js';

/** Repetitions of requests that fail before a response begins. */
export interface ModelRetries {
  /** Maximum number of attempts after the first one. */
  readonly retries: number;
  /** Maximum delay between two attempts, unless the gateway asks for a longer one. */
  readonly maxDelayMs: number;
}

/** Maximum delay after the first failure. It doubles with each further one. */
const BASE_DELAY_MS = 1_000;
/** Maximum size of one response; a stream has a few hundred bytes per token. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576;
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * A `fetch` for requests to the model gateway, which are all repeatable: it retries after network failures, overload
 * and server errors, as long as no response has begun. A response that is too large fails. Requests carry the active span.
 */
export function modelFetch(clock: Clock, { retries, maxDelayMs }: ModelRetries): typeof fetch {
  const delays = { baseDelayMs: Math.min(BASE_DELAY_MS, maxDelayMs), maxDelayMs };
  const retrying = retryingFetch(
    { retries, ...delays },
    {
      isRepeatable: () => true,
      isTransient: ({ status }) => TRANSIENT_STATUSES.has(status),
      now: () => clock.millis(),
    },
  );
  return tracedFetch(boundedFetch(retrying, MAX_RESPONSE_BYTES));
}

/** Returns the repetitions that an agent's `llm_config` sets, otherwise those of the worker. */
export function retriesOf(llm: JsonObject, { retries, maxDelayMs }: ModelRetries): ModelRetries {
  const [own, delay] = [readNumber(llm['retries']), readNumber(llm['retry_max_delay_ms'])];
  return {
    retries: own !== null && Number.isInteger(own) && own >= 0 ? Math.min(own, MAX_RETRIES) : retries,
    maxDelayMs: delay !== null && delay >= 1 ? Math.min(delay, MAX_DELAY_MS) : maxDelayMs,
  };
}

const MAX_RETRIES = 100;
const MAX_DELAY_MS = 600_000;
