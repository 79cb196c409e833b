import { Database } from '@app/database';
import {
  Clock,
  invalid,
  newKeyId,
  type Caller,
  type KeyScope,
  type NameFilter,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { generateKey, hashKey } from './api-key-format.js';
import type { ApiKeyRecord, KeyMaterial, MintedKey, MintKey } from './key.types.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { userNotFound, userSuspended } from '../identity.errors.js';
import { KeyCache } from '../authentication/key-cache.js';
import { expiryFaults, lackingScopeFaults, unknownScopeFaults } from './key-rules.js';
import { UserRepository } from '../users/user.repository.js';

/**
 * Creates and lists API keys of both APIs. The plain key is returned once, when it is created; only its SHA-256 is
 * stored.
 */
@Injectable()
export class KeyService {
  private readonly logger = createLogger('identity');

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly users: UserRepository,
    private readonly cache: KeyCache,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key with at most the scopes and the expiry of the minting key, which are also the defaults, for the given
   * user or the user of the minting key. Throws `invalid` with a fault for each scope that is unknown or that the
   * minting key lacks, and for the expiry; `user_not_found`; `user_suspended`.
   */
  async mint(maker: Caller, request: MintKey): Promise<MintedKey> {
    const scopes = request.scopes ?? maker.scopes;
    const expiresAt = request.expires_at ?? maker.grantsUntil;
    const faults = [
      ...unknownScopeFaults(request),
      ...lackingScopeFaults(maker, scopes),
      ...expiryFaults(maker, expiresAt, this.clock.now()),
    ];
    if (faults.length > 0) throw invalid(faults);
    const user = await this.users.find(maker, request.user_id ?? maker.userId);
    if (user === undefined) throw userNotFound();
    if (user.status === 'suspended') throw userSuspended(user.name);
    const { name, description, rate_limits = null } = request;
    const granted = [...new Set(scopes)] as KeyScope[];
    const key = { name, description, scopes: granted, expires_at: expiresAt, user_id: user.id, rate_limits };
    return this.store(maker, key, generateKey());
  }

  /** Stores a key without a minting key: a first key, or one of the configuration. */
  async store(
    scope: Scope,
    key: Omit<ApiKeyRecord, 'id' | 'created_at' | 'last_used' | 'superseded_at'>,
    material: KeyMaterial,
  ): Promise<MintedKey> {
    const record: ApiKeyRecord = {
      id: newKeyId(),
      name: key.name,
      description: key.description,
      scopes: [...key.scopes],
      user_id: key.user_id,
      created_at: this.clock.now(),
      last_used: null,
      expires_at: key.expires_at,
      superseded_at: null,
      rate_limits: key.rate_limits,
    };
    const { key: plain, hash, prefix, last_four } = material;
    const stored = { hash, prefix, last_four, revoked_at: null };
    await this.keys.insert(scope, { ...record, ...stored });
    const { id: key_id, user_id, scopes } = record;
    this.database.afterCommit(() => {
      this.cache.forgetUnknown(hash);
      this.logger.info({ key_id, organization_id: scope.organizationId, user_id, scopes }, 'key minted');
    });
    return { ...record, key: plain };
  }

  /** Returns whether this key was ever stored, even if it is revoked. */
  async exists(key: string): Promise<boolean> {
    return this.keys.existsHash(hashKey(key));
  }

  /** Returns the keys that are not revoked, newest first. */
  async list(scope: Scope, page: Page, filter: NameFilter = {}): Promise<PageResult<ApiKeyRecord>> {
    return this.keys.list(scope, page, filter);
  }
}
