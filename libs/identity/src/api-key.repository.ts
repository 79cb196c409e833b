import { Database } from '@app/database';
import type { Caller, KeyScope, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKeyRecord } from './identity.types.js';

const CALLER_SQL = `
  SELECT id, organization_id, name, scopes, user_id, user_name, user_email, user_avatar, expires_at
  FROM api_keys WHERE hash = $1 AND revoked_at IS NULL`;

interface CallerRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly scopes: KeyScope[];
  readonly user_id: string;
  readonly user_name: string | null;
  readonly user_email: string | null;
  readonly user_avatar: string | null;
  readonly expires_at: Date | null;
}

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /** The one look-up without a tenant: it is what tells the tenant. */
  async findCaller(hash: string): Promise<Caller | undefined> {
    const [row] = await this.database.prepared<CallerRow>('api_key_caller', CALLER_SQL, [hash]);
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
      expiresAt: row.expires_at,
    };
  }

  async insert(scope: Scope, key: Omit<ApiKeyEntity, 'organization_id'>): Promise<void> {
    await this.database.insert(ApiKeyEntity, { ...key, organization_id: scope.organizationId });
  }

  async existsHash(hash: string): Promise<boolean> {
    return this.database.repository(ApiKeyEntity).existsBy({ hash });
  }

  /** Keys that still work or have expired, newest first; revoked ones are gone. */
  async list(scope: Scope): Promise<ApiKeyRecord[]> {
    return this.database.sql<ApiKeyRecord>(
      `SELECT id, name, description, scopes, created_at, last_used, expires_at FROM api_keys
       WHERE organization_id = $1 AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`,
      [scope.organizationId],
    );
  }

  /** The hash of the key that was revoked; undefined when there was none (any more). */
  async revoke(scope: Scope, id: string, at: Date): Promise<string | undefined> {
    const [row] = await this.database.sql<{ hash: string }>(
      `UPDATE api_keys SET revoked_at = $3 WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING hash`,
      [scope.organizationId, id, at],
    );
    return row?.hash;
  }

  /** Writes at most once a minute per key, however many processes ask. */
  async touch(id: string, at: Date): Promise<void> {
    await this.database.sql(
      `UPDATE api_keys SET last_used = $2 WHERE id = $1 AND (last_used IS NULL OR last_used < $2::timestamptz - interval '1 minute')`,
      [id, at],
    );
  }
}
