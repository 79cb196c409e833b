import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, readRetryAfter } from '@app/api-client';
import type { Clock } from '@app/kernel';

const TRIES = 3;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;
const REPEATABLE = [408, 409, 429, 500, 502, 503, 504];

/** A fetch that tries a request to the model again while no answer has begun: network failures, overload, server errors. */
export function modelFetch(clock: Clock): typeof fetch {
  return async (input, init) => {
    for (let failures = 1; ; failures += 1) {
      const last = failures === TRIES;
      let retryAfter: number | null = null;
      try {
        const response = await fetch(input, init);
        if (last || !REPEATABLE.includes(response.status)) return response;
        retryAfter = readRetryAfter(response.headers.get('retry-after'), clock.millis());
        await response.body?.cancel();
      } catch (error) {
        if (last || init?.signal?.aborted === true) throw error;
      }
      const delay = retryAfter ?? backoff(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
      await sleep(delay, undefined, init?.signal ? { signal: init.signal } : {});
    }
  };
}
