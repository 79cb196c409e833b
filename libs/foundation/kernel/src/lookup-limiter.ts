import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';
import { throttled } from './errors.js';
import { TokenBuckets } from './token-buckets.js';

/** Returns the address of the client that sent a credential. Called only when it is needed. */
export type Origin = () => string;

/** Failing look-ups of one origin: at most `burst` at once, then `perSecond`. */
const FAILING = { burst: 100, perSecond: 10, maxBuckets: 10_000 };
/** Credentials that were found before. */
const MAX_FOUND = 10_000;
const FOUND_TTL_MS = 3_600_000;

/**
 * Limits the look-ups of credentials that do not exist, so that requests with invented keys cannot overload PostgreSQL.
 * Each origin has a token bucket; only a look-up that finds nothing costs a token. Credentials that were found within
 * the last hour are always looked up: clients behind the address of an attacker continue to work.
 */
export class LookupLimiter {
  private readonly found = new LRUCache<string, true>({ max: MAX_FOUND, ttl: FOUND_TTL_MS });
  private readonly failing: TokenBuckets;

  constructor(clock: Clock) {
    this.failing = new TokenBuckets(clock, FAILING);
  }

  /**
   * Returns what `lookUp` returns: the owner of the credential `name`, or undefined. Throws `throttled` without a
   * look-up if the bucket of the origin is empty. A token is taken before the look-up, so that concurrent look-ups
   * count.
   */
  async find<T>(name: string, origin: Origin, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.found.has(name)) return this.remember(name, await lookUp());
    const from = origin();
    this.take(from);
    try {
      const owner = await lookUp();
      if (owner !== undefined) this.failing.giveBack(from);
      return this.remember(name, owner);
    } catch (error) {
      this.failing.giveBack(from);
      throw error;
    }
  }

  private remember<T>(name: string, owner: T | undefined): T | undefined {
    if (owner === undefined) this.found.delete(name);
    else this.found.set(name, true);
    return owner;
  }

  private take(from: string): void {
    const waitMs = this.failing.take(from);
    if (waitMs > 0) {
      throw throttled('unknown_credentials_too_many', 'Too many unknown credentials came from this address', waitMs);
    }
  }
}
