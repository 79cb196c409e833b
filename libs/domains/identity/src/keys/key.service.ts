import { Database } from '@app/database';
import {
  Clock,
  invalid,
  newKeyId,
  withoutUndefined,
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
import type { ApiKeyRecord, KeyMaterial, MintedKey, MintKey, RotateKey, StoredApiKey, UpdateKey } from './key.types.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { keyNotFound, lastAdminKey, userNotFound, userSuspended } from '../identity.errors.js';
import { KeyCache } from '../authentication/key-cache.js';
import { earliest, expiryFaults, lackingScopeFaults, unknownScopeFaults } from './key-rules.js';
import { UserRepository } from '../users/user.repository.js';

/**
 * The API keys of both APIs. The plain key is returned once, when it is created; only its SHA-256 is stored. Changes
 * and revocations take effect at once in this process, within a second in others.
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

  /** Throws `not_found` if the key does not exist or is revoked. */
  async update(scope: Scope, id: string, changes: UpdateKey): Promise<ApiKeyRecord> {
    const changed = await this.keys.update(scope, id, withoutUndefined(changes));
    if (changed === undefined) throw keyNotFound();
    this.cache.broadcastChange([changed.hash]);
    return changed;
  }

  /**
   * Creates a successor with the name, scopes, user and limits of a key. The old key then works for at most the given
   * time. The successor expires when the old key would have expired without a rotation, unless another time is given,
   * and with the minting key at the latest. A second rotation, after a lost response, creates an equal successor.
   * Throws `not_found` if the key does not exist or is revoked, `api_key_is_last_admin` if no key with the scope
   * `admin` would work when the old one ends, and the errors of `mint`.
   */
  async rotate(maker: Caller, id: string, { overlapSeconds, expires_at }: RotateKey): Promise<MintedKey> {
    return this.database.transaction(async () => {
      await this.users.lockAdmins(maker);
      const old = await this.keys.lock(maker, id);
      if (old === undefined) throw keyNotFound();
      const { name, description, scopes, user_id, rate_limits } = old;
      const expiry = expires_at ?? earliest(old.expires_at, maker.grantsUntil);
      const successor = { name, description, scopes, user_id, rate_limits, expires_at: expiry };
      const minted = await this.mint(maker, successor);
      const overlapEnd = new Date(this.clock.millis() + overlapSeconds * 1000);
      const endsAt = earliest(old.superseded_at, overlapEnd) ?? overlapEnd;
      await this.keys.update(maker, id, { superseded_at: endsAt });
      if (old.scopes.includes('admin')) await this.requireAdminAfter(maker, old, endsAt);
      this.database.afterCommit(() => {
        this.cache.broadcastChange([old.hash]);
        const ids = { key_id: id, successor_id: minted.id, organization_id: maker.organizationId };
        this.logger.info({ ...ids, ends_at: endsAt }, 'key rotated');
      });
      return minted;
    });
  }

  /**
   * Throws `not_found` if the key does not exist or is already revoked, and `api_key_is_last_admin` if no other working
   * key has the scope `admin`.
   */
  async revoke(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.users.lockAdmins(scope);
      const { scopes } = await this.end(scope, id);
      if (!scopes.includes('admin')) return;
      if (!(await this.keys.existsAdminKey(scope, this.clock.now()))) throw lastAdminKey();
    });
  }

  /** Revokes any key, also the last one with the scope `admin`: the operator can create another one. */
  async revokeAny(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(() => this.end(scope, id));
  }

  /**
   * Does nothing if the key expires before the rotation would end it, because then the rotation does not reduce the
   * number of admin keys.
   */
  private async requireAdminAfter(scope: Scope, { expires_at }: StoredApiKey, endsAt: Date): Promise<void> {
    if (expires_at !== null && expires_at <= endsAt) return;
    if (!(await this.keys.existsAdminKey(scope, endsAt))) throw lastAdminKey();
  }

  private async end(scope: Scope, id: string): Promise<Pick<StoredApiKey, 'scopes'>> {
    const revoked = await this.keys.revoke(scope, id, this.clock.now());
    if (revoked === undefined) throw keyNotFound();
    this.database.afterCommit(() => {
      this.cache.broadcastChange([revoked.hash]);
      this.logger.info({ key_id: id, organization_id: scope.organizationId }, 'key revoked');
    });
    return revoked;
  }
}
