import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

export interface BucketSize {
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Tokens that a bucket gains per second. */
  readonly perSecond: number;
  /** Maximum number of buckets in memory. The least recently used one is dropped; when it is used again, it is full. */
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

  /** Takes a token and returns 0. If the bucket is empty, returns the milliseconds until it has a token. */
  take(name: string): number {
    const tokens = this.tokensOf(name);
    if (tokens < 1) return ((1 - tokens) / this.size.perSecond) * 1000;
    this.set(name, tokens - 1);
    return 0;
  }

  /** Puts back a token that was taken. */
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
