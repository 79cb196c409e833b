import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

export interface BucketSize {
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Tokens that a bucket gains per second. */
  readonly perSecond: number;
  /** Number of buckets that are kept; the least recently used one is forgotten, and is full when it is needed again. */
  readonly maxBuckets: number;
}

interface Bucket {
  readonly tokens: number;
  /** Milliseconds. */
  readonly at: number;
}

/** Token buckets of this process, by name. */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(
    private readonly clock: Clock,
    private readonly size: BucketSize,
  ) {
    this.buckets = new LRUCache<string, Bucket>({ max: size.maxBuckets });
  }

  /** Takes a token and returns 0. Without one, takes nothing and returns the milliseconds until there is one. */
  take(name: string): number {
    const tokens = this.tokensOf(name);
    if (tokens < 1) return ((1 - tokens) / this.size.perSecond) * 1000;
    this.set(name, tokens - 1);
    return 0;
  }

  /** Returns a token that was taken. */
  giveBack(name: string): void {
    this.set(name, Math.min(this.size.burst, this.tokensOf(name) + 1));
  }

  private set(name: string, tokens: number): void {
    this.buckets.set(name, { tokens, at: this.clock.millis() });
  }

  private tokensOf(name: string): number {
    const bucket = this.buckets.get(name);
    if (bucket === undefined) return this.size.burst;
    const elapsedMs = Math.max(0, this.clock.millis() - bucket.at);
    return Math.min(this.size.burst, bucket.tokens + (elapsedMs * this.size.perSecond) / 1000);
  }
}
