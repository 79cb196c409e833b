import { RedisConnections } from '@app/redis';
import { Clock, LookupLimiter, type Caller, type Origin } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeyRepository } from '../keys/api-key.repository.js';
import { hasExpired } from '../keys/key-rules.js';

/** Less than the second within which a revocation must take effect everywhere, even without the broadcast. */
const TTL_MS = 900;
const MAX_KEYS = 10_000;
/** The cached result of a look-up that found nothing, until it is moved to the cache of unknown hashes. */
const NO_CALLER = Symbol('no caller');
/** Messages are hashes of keys, separated by spaces. */
const CHANGED_CHANNEL = 'identity:key-changed';

/**
 * Caches the caller of each key hash for less than a second, so that a busy key costs one query a second per process.
 * The short lifetime guarantees that revocations and changes of users take effect; the broadcast only makes it faster.
 * Unknown hashes have their own cache, so that invented keys cannot displace the keys of callers. They expire after the
 * same time, so that a key that is stored later works within a second.
 */
@Injectable()
export class KeyCache implements OnModuleInit {
  private readonly logger = createLogger('identity');
  private readonly cache: LRUCache<string, Caller | typeof NO_CALLER>;
  private readonly unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TTL_MS });
  private readonly limiter: LookupLimiter;
  private readonly changeListeners: ((hash: string) => void)[] = [];

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {
    this.limiter = new LookupLimiter(clock);
    this.cache = new LRUCache<string, Caller | typeof NO_CALLER>({
      max: MAX_KEYS,
      ttl: TTL_MS,
      // If the key changes during a look-up, the look-up completes, but its result is not cached. An undefined
      // result would make the cache reject in this case, so `NO_CALLER` stands for it.
      ignoreFetchAbort: true,
      fetchMethod: async (hash, _stale, { options }) => {
        const began = performance.now();
        const caller = (await this.keys.findCaller(hash)) ?? NO_CALLER;
        // The key may have been revoked right after a slow look-up began, so its lifetime in the cache begins with the
        // look-up. A lifetime of 0 would never end.
        options.ttl = Math.max(1, TTL_MS - (performance.now() - began));
        return caller;
      },
    });
  }

  onModuleInit(): void {
    const listener = { onMessage: (hashes: Buffer) => this.evict(hashes.toString().split(' ')) };
    this.redis.subscriptions.open(CHANGED_CHANNEL, listener).catch((error: unknown) => this.logBroadcastFailure(error));
  }

  /** Returns the caller of a key that is stored, neither revoked nor expired, and whose user is active. */
  async find(hash: string): Promise<Caller | undefined> {
    const caller = await this.findStored(hash);
    return caller !== undefined && hasExpired(caller, this.clock.now()) ? undefined : caller;
  }

  /**
   * Like `find`, but also returns the caller of an expired key. With an origin, throws `throttled` instead of looking up
   * an unknown key if that origin has sent too many of them.
   */
  async findStored(hash: string, origin?: Origin): Promise<Caller | undefined> {
    if (this.unknown.has(hash)) return undefined;
    const cached = this.cache.get(hash);
    const caller = cached === undefined || cached === NO_CALLER ? await this.lookUp(hash, origin) : cached;
    if (caller === undefined) this.unknown.set(hash, true);
    return caller;
  }

  /** Must be called after the commit that stored a key with this hash. */
  forgetUnknown(hash: string): void {
    this.unknown.delete(hash);
  }

  /** Calls the listener with the hash of each key that any process changed or revoked, or whose user it changed. */
  onChanged(listener: (hash: string) => void): void {
    this.changeListeners.push(listener);
  }

  /** Makes every process look these keys up again. Must be called after the commit. */
  broadcastChange(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    this.evict(hashes);
    this.redis.commands
      .publish(CHANGED_CHANNEL, hashes.join(' '))
      .catch((error: unknown) => this.logBroadcastFailure(error));
  }

  private lookUp(hash: string, origin: Origin | undefined): Promise<Caller | undefined> {
    const fetch = async (): Promise<Caller | undefined> => {
      const caller = await this.cache.fetch(hash);
      if (caller !== NO_CALLER) return caller;
      this.cache.delete(hash);
      return undefined;
    };
    return origin === undefined ? fetch() : this.limiter.find(hash, origin, fetch);
  }

  private evict(hashes: readonly string[]): void {
    for (const hash of hashes) {
      this.cache.delete(hash);
      this.unknown.delete(hash);
      for (const listener of this.changeListeners) listener(hash);
    }
  }

  private logBroadcastFailure(error: unknown): void {
    this.logger.warn(
      { reason: (error as Error).message },
      'broadcast of key changes unavailable; they take effect within a second',
    );
  }
}
