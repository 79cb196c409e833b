import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';
import { DomainError } from './errors.js';

/** Returns the address of the client that sent a credential; called only if it is needed. */
export type Origin = () => string;

/** Failing look-ups of one origin: at most `BURST` at once, then `PER_SECOND`. */
const BURST = 100;
const PER_SECOND = 10;
const MAX_ORIGINS = 10_000;
/** Credentials that were found before. */
const MAX_FOUND = 10_000;
const FOUND_TTL_MS = 3_600_000;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/**
 * Limits the look-ups of credentials that do not exist, so that somebody who invents keys cannot load PostgreSQL. Each origin
 * has a token bucket; only a look-up that finds nothing costs a token. Credentials that were found within the last hour are
 * always looked up: clients behind the address of an attacker continue to work.
 */
export class LookupLimiter {
  private readonly found = new LRUCache<string, true>({ max: MAX_FOUND, ttl: FOUND_TTL_MS });
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_ORIGINS });

  constructor(private readonly clock: Clock) {}

  /**
   * Returns what `lookUp` returns: the owner of the credential `name`, or undefined. Throws `throttled` without a look-up if
   * the origin has used up its failing look-ups. A token is taken before the look-up, so that concurrent ones count.
   */
  async find<T>(name: string, origin: Origin, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.found.has(name)) return this.remember(name, await lookUp());
    const from = origin();
    this.take(from);
    try {
      const owner = await lookUp();
      if (owner !== undefined) this.giveBack(from);
      return this.remember(name, owner);
    } catch (error) {
      this.giveBack(from);
      throw error;
    }
  }

  private remember<T>(name: string, owner: T | undefined): T | undefined {
    if (owner === undefined) this.found.delete(name);
    else this.found.set(name, true);
    return owner;
  }

  private take(from: string): void {
    const tokens = this.tokensOf(from);
    if (tokens < 1) {
      throw new DomainError('unknown_credentials_too_many', 'Too many unknown credentials came from this address');
    }
    this.buckets.set(from, { tokens: tokens - 1, at: this.clock.millis() });
  }

  private giveBack(from: string): void {
    this.buckets.set(from, { tokens: Math.min(BURST, this.tokensOf(from) + 1), at: this.clock.millis() });
  }

  private tokensOf(from: string): number {
    const bucket = this.buckets.get(from);
    if (bucket === undefined) return BURST;
    const elapsedMs = Math.max(0, this.clock.millis() - bucket.at);
    return Math.min(BURST, bucket.tokens + (elapsedMs * PER_SECOND) / 1000);
  }
}
