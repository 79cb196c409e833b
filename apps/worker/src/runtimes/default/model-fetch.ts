import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, readRetryAfter } from '@app/api-client';

const TRIES = 3;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5_000;
const REPEATABLE = [408, 409, 429, 500, 502, 503, 504];

/** A fetch that tries a request to the model again while no answer has begun: network failures, overload, server errors. */
export async function modelFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  for (let failures = 1; ; failures += 1) {
    const last = failures === TRIES;
    let retryAfter: number | null = null;
    try {
      const response = await fetch(input, init);
      if (last || !REPEATABLE.includes(response.status)) return response;
      retryAfter = readRetryAfter(response.headers.get('retry-after'), Date.now());
      await response.body?.cancel();
    } catch (error) {
      if (last || init?.signal?.aborted === true) throw error;
    }
    const delay = retryAfter ?? backoff(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
    await sleep(delay, undefined, init?.signal ? { signal: init.signal } : {});
  }
}
