import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { FIND, PRUNE, SAVE, TRY_LOCK } from './idempotency.sql.js';

/** A stored response. */
export interface StoredResponse {
  readonly request_digest: string;
  readonly status: number;
  readonly body: unknown;
  readonly sealed_body: Buffer | null;
}

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /** Locks the key until the transaction ends. Returns false if another transaction holds the lock. */
  async tryLock(scope: Scope, key: string): Promise<boolean> {
    const name = `idempotency ${scope.organizationId} ${key}`;
    const [row] = await this.database.sql<{ locked: boolean }>(TRY_LOCK, [name]);
    return row?.locked === true;
  }

  async find(scope: Scope, key: string, since: Date): Promise<StoredResponse | undefined> {
    const [row] = await this.database.prepared<StoredResponse>(FIND, [scope.organizationId, key, since]);
    return row;
  }

  async save(scope: Scope, key: string, response: StoredResponse, at: Date): Promise<void> {
    const { request_digest, status, body, sealed_body } = response;
    const values = [scope.organizationId, key, request_digest, status, JSON.stringify(body), sealed_body, at];
    await this.database.prepared(SAVE, values);
  }

  /** Deletes up to `limit` responses of all organizations from before this time, and returns how many were deleted. */
  async prune(before: Date, limit: number): Promise<number> {
    return (await this.database.sql(PRUNE, [before, limit])).length;
  }
}
