import { IdentityConfig } from '@app/config';
import { chosenKeyFault, Clock, hasWrongChecksum, keyMissing, type Caller, type Origin } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hashKey } from '../keys/api-key-format.js';
import { ApiKeyRepository } from '../keys/api-key.repository.js';
import { hasExpired } from '../keys/key-rules.js';
import { keyExpired, keyInvalid } from '../identity.errors.js';
import { KeyCache } from './key-cache.js';
import { KeyWatch } from './key-watch.js';

const USE_INTERVAL_MS = 60_000;

/**
 * Authenticates API keys of both APIs. Revocation, expiry and changes of the user take effect in every process within a
 * second.
 */
@Injectable()
export class KeyAuthenticator {
  private readonly logger = createLogger('identity');
  private readonly recentlyUsed = new LRUCache<string, true>({ max: 10_000, ttl: USE_INTERVAL_MS });

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly cache: KeyCache,
    private readonly watch: KeyWatch,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  /**
   * Returns the caller of this key. Throws `key_missing` without a key, `key_expired` for an expired key, and the same
   * `key_invalid` for malformed, unknown and revoked keys and keys of suspended users, so that callers cannot distinguish
   * these cases. With an origin, throws `throttled` if this origin has sent too many unknown keys; malformed keys are
   * rejected without a look-up and do not count.
   */
  async authenticate(key: string | undefined, origin?: Origin): Promise<Caller> {
    if (key === undefined || key === '') throw keyMissing();
    const caller = this.isWellFormed(key) ? await this.cache.findStored(hashKey(key), origin) : undefined;
    if (caller === undefined) throw keyInvalid();
    if (hasExpired(caller, this.clock.now())) throw keyExpired();
    this.recordUse(caller.keyId);
    return caller;
  }

  /**
   * Calls `onEnd` once when this authenticated key is revoked or expires or its user is suspended. Returns a function
   * that stops watching.
   */
  whenEnded(key: string, onEnd: () => void): () => void {
    return this.watch.watch(hashKey(key), onEnd);
  }

  /**
   * Avoids a look-up for malformed keys. BOOTSTRAP_ADMIN_KEY is accepted even if it looks like a generated key with a
   * wrong checksum.
   */
  private isWellFormed(key: string): boolean {
    if (hasWrongChecksum(key)) return key === this.config.bootstrapAdminKey;
    return chosenKeyFault(key) === undefined;
  }

  private recordUse(keyId: string): void {
    if (this.recentlyUsed.has(keyId)) return;
    this.recentlyUsed.set(keyId, true);
    this.keys.recordUse(keyId, this.clock.now()).catch((error: unknown) => {
      this.logger.warn({ err: error, key_id: keyId }, 'recording the last use of a key failed');
    });
  }
}
