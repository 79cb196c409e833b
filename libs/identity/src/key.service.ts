import { IdentityConfig } from '@app/config';
import {
  chosenKeyFault,
  Clock,
  hasWrongChecksum,
  invalid,
  newKeyId,
  type Caller,
  type KeyScope,
  type Scope,
} from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { generateKey, hashKey, type NewKey } from './api-key-format.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { keyInvalid, keyMissing, keyNotFound } from './identity.errors.js';
import type { ApiKeyRecord, KeyOwner, MintedKey, MintKey } from './identity.types.js';
import { KeyCache } from './key-cache.js';
import { expiryFaults, lackingScopeFaults, unknownScopeFaults } from './key-rules.js';
import { KeyWatch } from './key-watch.js';

const TOUCH_INTERVAL_MS = 60_000;

/**
 * API keys, the same for both APIs. A key itself is told once, where it is minted; only its SHA-256 is stored. That it
 * was revoked or has expired takes effect in every process within a second.
 */
@Injectable()
export class KeyService {
  private readonly logger = createLogger('identity');
  private readonly touched = new LRUCache<string, true>({ max: 10_000, ttl: TOUCH_INTERVAL_MS });

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly cache: KeyCache,
    private readonly watch: KeyWatch,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  /**
   * Who sent this key. A missing one is `key_missing`; malformed, unknown, revoked and expired ones are all
   * `key_invalid`, so that none can be told from another.
   */
  async authenticate(key: string | undefined): Promise<Caller> {
    if (key === undefined || key === '') throw keyMissing();
    const caller = this.mayExist(key) ? await this.cache.find(hashKey(key)) : undefined;
    if (caller === undefined) throw keyInvalid();
    this.noteUse(caller.keyId);
    return caller;
  }

  /** Calls back once when this key, which was just authenticated, is revoked or expires. Answers how to stop watching. */
  whenEnded(key: string, onEnd: () => void): () => void {
    return this.watch.watch(hashKey(key), onEnd);
  }

  /**
   * A key within its maker's powers, and for the same person: neither a scope nor an expiry beyond the maker's own,
   * which are also what is not said. Faults name each scope that is unknown or lacking, and the expiry.
   */
  async mint(maker: Caller, request: MintKey): Promise<MintedKey> {
    const scopes = request.scopes ?? maker.scopes;
    const expiresAt = request.expires_at ?? maker.expiresAt;
    const faults = [
      ...unknownScopeFaults(request),
      ...lackingScopeFaults(maker, scopes),
      ...expiryFaults(maker, expiresAt, this.clock.now()),
    ];
    if (faults.length > 0) throw invalid(faults);
    const owner = {
      user_id: maker.userId,
      user_name: maker.userName,
      user_email: maker.userEmail,
      user_avatar: maker.userAvatar,
    };
    const granted = [...new Set(scopes)] as KeyScope[];
    return this.store(maker, owner, { ...request, scopes: granted, expires_at: expiresAt }, generateKey());
  }

  /** Puts a key into the store without a maker: the first key of an organisation. */
  async store(
    scope: Scope,
    owner: KeyOwner,
    key: { name: string; description: string | null; scopes: readonly KeyScope[]; expires_at: Date | null },
    material: NewKey,
  ): Promise<MintedKey> {
    const record: ApiKeyRecord = {
      id: newKeyId(),
      name: key.name,
      description: key.description,
      scopes: [...key.scopes],
      created_at: this.clock.now(),
      last_used: null,
      expires_at: key.expires_at,
    };
    const { key: plain, hash, prefix, last_four } = material;
    const stored = { hash, prefix, last_four, revoked_at: null };
    await this.keys.insert(scope, { ...record, ...owner, ...stored });
    this.logger.info({ key_id: record.id, organization_id: scope.organizationId, scopes: record.scopes }, 'key minted');
    return { ...record, key: plain };
  }

  /** Whether this key was ever stored, revoked or not. */
  async exists(key: string): Promise<boolean> {
    return this.keys.existsHash(hashKey(key));
  }

  /** Keys that were not revoked, newest first, without the keys themselves. */
  async list(scope: Scope): Promise<readonly ApiKeyRecord[]> {
    return this.keys.list(scope);
  }

  /** For good: this process refuses the key at once. One that is revoked already counts as not found. */
  async revoke(scope: Scope, id: string): Promise<void> {
    const hash = await this.keys.revoke(scope, id, this.clock.now());
    if (hash === undefined) throw keyNotFound();
    this.cache.drop(hash);
    this.logger.info({ key_id: id, organization_id: scope.organizationId }, 'key revoked');
  }

  /** What spares a look-up. A chosen key may look like a generated one; only the setting tells it from a mistyped one. */
  private mayExist(key: string): boolean {
    if (hasWrongChecksum(key)) return key === this.config.bootstrapAdminKey;
    return chosenKeyFault(key) === undefined;
  }

  private noteUse(keyId: string): void {
    if (this.touched.has(keyId)) return;
    this.touched.set(keyId, true);
    this.keys.touch(keyId, this.clock.now()).catch((error: unknown) => {
      this.logger.warn({ err: error, key_id: keyId }, 'last use of the key was not noted');
    });
  }
}
