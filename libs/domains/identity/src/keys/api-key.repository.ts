import { Database, rejectMissing } from '@app/database';
import {
  withoutUndefined,
  type Caller,
  type NameFilter,
  type Page,
  type PageResult,
  type Patch,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { DELETE_REVOKED_KEYS, FIND_CALLER, HAS_ADMIN_KEY, PRUNE_REVOKED_KEYS, RECORD_KEY_USE } from './api-key.sql.js';
import { userNotFound } from '../identity.errors.js';
import type { ApiKeyRecord, NewApiKey, StoredApiKey } from './key.types.js';
import { endOf } from './key-rules.js';

/** A key with the columns of its user that are part of a caller. */
interface CallerRow extends StoredApiKey {
  readonly user_name: string;
  readonly user_email: string | null;
  readonly user_avatar: string | null;
}

/** The fields of a key that can change. */
type KeyChanges = Patch<Pick<StoredApiKey, 'name' | 'description' | 'rate_limits' | 'superseded_at' | 'revoked_at'>>;

/** The columns of an `ApiKeyRecord`. */
const LISTED: readonly (keyof ApiKeyRecord)[] = [
  'id',
  'name',
  'description',
  'scopes',
  'user_id',
  'created_at',
  'last_used',
  'expires_at',
  'superseded_at',
  'rate_limits',
];

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /** Has no scope parameter: the key determines the organization. */
  async findCaller(hash: string): Promise<Caller | undefined> {
    const [row] = await this.database.prepared<CallerRow>(FIND_CALLER, [hash]);
    if (row === undefined) return undefined;
    return {
      organizationId: row.organization_id,
      keyId: row.id,
      keyName: row.name,
      scopes: row.scopes,
      userId: row.user_id,
      userName: row.user_name,
      userEmail: row.user_email,
      userAvatar: row.user_avatar,
      expiresAt: endOf(row),
      grantsUntil: row.expires_at,
      rateLimits: row.rate_limits,
    };
  }

  /** Returns the hash of a key that is not revoked. */
  async findHash({ organizationId }: Scope, id: string): Promise<string | undefined> {
    const where = { id, organization_id: organizationId, revoked_at: IsNull() };
    return (await this.database.repository(ApiKeyEntity).findOne({ select: { hash: true }, where }))?.hash;
  }

  /** Throws `user_not_found` if the user was deleted meanwhile. */
  async insert({ organizationId }: Scope, key: NewApiKey): Promise<void> {
    const inserted = this.database.insert(ApiKeyEntity, { ...key, organization_id: organizationId });
    await rejectMissing(inserted, 'fk_api_keys_user_id', userNotFound);
  }

  async existsHash(hash: string): Promise<boolean> {
    return this.database.repository(ApiKeyEntity).existsBy({ hash });
  }

  /**
   * Deletes up to `limit` keys of all organizations that were revoked, or replaced by a successor, before a time,
   * except the key with `keptHash`. Returns the number of deleted keys.
   */
  async pruneRevoked(revokedBefore: Date, limit: number, keptHash: string | null): Promise<number> {
    return (await this.database.sql(PRUNE_REVOKED_KEYS, [revokedBefore, limit, keptHash])).length;
  }

  /** Keys that are not revoked, newest first; expired ones are included. */
  async list({ organizationId }: Scope, page: Page, { name }: NameFilter = {}): Promise<PageResult<ApiKeyRecord>> {
    const query = this.database
      .select(ApiKeyEntity, 'key', {
        ...withoutUndefined({ name }),
        organization_id: organizationId,
        revoked_at: IsNull(),
      })
      .select(LISTED.map((column) => `key.${column}`))
      .orderBy('key.created_at', 'DESC');
    return this.database.listPage<ApiKeyEntity, ApiKeyRecord>(query, page);
  }

  /** Locks a key that is not revoked. */
  async lock({ organizationId }: Scope, id: string): Promise<StoredApiKey | undefined> {
    return this.database.lockOne(ApiKeyEntity, { id, organization_id: organizationId, revoked_at: IsNull() });
  }

  /** Returns the changed key; undefined if there is no such key or it is revoked. */
  async update({ organizationId }: Scope, id: string, changes: KeyChanges): Promise<StoredApiKey | undefined> {
    const key = { id, organization_id: organizationId, revoked_at: IsNull() };
    if (Object.keys(changes).length === 0) return this.database.findOne(ApiKeyEntity, key);
    return this.database.update<ApiKeyEntity>(ApiKeyEntity, key, changes);
  }

  /** Returns the revoked key; undefined if there is no such key or it was revoked before. */
  async revoke(scope: Scope, id: string, at: Date): Promise<StoredApiKey | undefined> {
    return this.update(scope, id, { revoked_at: at });
  }

  /** Returns the keys of a user, including revoked ones, the most recently used first. */
  async ofUser(
    { organizationId }: Scope,
    userId: string,
  ): Promise<readonly Pick<StoredApiKey, 'name' | 'last_used' | 'revoked_at'>[]> {
    return this.database.repository(ApiKeyEntity).find({
      select: { name: true, last_used: true, revoked_at: true },
      where: { organization_id: organizationId, user_id: userId },
      order: { last_used: { direction: 'DESC', nulls: 'LAST' }, name: 'ASC' },
    });
  }

  /** Returns the hashes of the keys of a user that are not revoked. */
  async hashesOf({ organizationId }: Scope, userId: string): Promise<string[]> {
    const where = { organization_id: organizationId, user_id: userId, revoked_at: IsNull() };
    const keys = await this.database.repository(ApiKeyEntity).find({ select: { hash: true }, where });
    return keys.map(({ hash }) => hash);
  }

  /** Returns whether the organization has a key with the scope `admin` that works at this time and was not rotated. */
  async existsAdminKey({ organizationId }: Scope, at: Date): Promise<boolean> {
    const [row] = await this.database.sql<{ found: boolean }>(HAS_ADMIN_KEY, [organizationId, at]);
    return row?.found === true;
  }

  /** Deletes the revoked keys of a user, except the key with `keptHash`. */
  async deleteRevoked({ organizationId }: Scope, userId: string, keptHash: string | null): Promise<void> {
    await this.database.sql(DELETE_REVOKED_KEYS, [organizationId, userId, keptHash]);
  }

  /** Writes at most once a minute per key, however many processes call it. */
  async recordUse(id: string, at: Date): Promise<void> {
    await this.database.sql(RECORD_KEY_USE, [id, at]);
  }
}
