import { Database } from '@app/database';
import { Clock, conflict, invalid, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Remembered {
  readonly request_digest: string;
  readonly status: number;
  readonly body: unknown;
}

/** How long an answer is remembered. */
const RETENTION_HOURS = 24;

@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async once(
    scope: Scope,
    key: string,
    requestDigest: string,
    work: () => Promise<Answer>,
  ): Promise<Answer & { readonly replayed: boolean }> {
    return this.database.transaction(async () => {
      await this.lock(scope, key);
      const remembered = await this.find(scope, key);
      if (remembered !== undefined) {
        if (remembered.request_digest !== requestDigest) throw reusedKey();
        return { status: remembered.status, body: remembered.body, replayed: true };
      }
      const answer = await work();
      await this.remember(scope, key, requestDigest, answer);
      return { ...answer, replayed: false };
    });
  }

  /** Drops what is older than the retention; answers how many. */
  async prune(): Promise<number> {
    const limit = new Date(this.clock.millis() - RETENTION_HOURS * 3_600_000);
    const gone = await this.database.sql('DELETE FROM idempotency_keys WHERE created_at < $1 RETURNING 1 AS one', [
      limit,
    ]);
    return gone.length;
  }

  /** Held until the transaction ends; a second request with the key meanwhile is told so instead of waiting. */
  private async lock(scope: Scope, key: string): Promise<void> {
    const [row] = await this.database.sql<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
      [`idempotency ${scope.organizationId} ${key}`],
    );
    if (row?.locked !== true) {
      throw conflict('idempotent_request_running', 'A request with this Idempotency-Key is still running');
    }
  }

  private async find(scope: Scope, key: string): Promise<Remembered | undefined> {
    const limit = new Date(this.clock.millis() - RETENTION_HOURS * 3_600_000);
    const [row] = await this.database.sql<Remembered & { readonly created_at: Date }>(
      'SELECT request_digest, status, body FROM idempotency_keys WHERE organization_id = $1 AND key = $2 AND created_at >= $3',
      [scope.organizationId, key, limit],
    );
    return row;
  }

  private async remember(scope: Scope, key: string, requestDigest: string, answer: Answer): Promise<void> {
    await this.database.sql(
      `INSERT INTO idempotency_keys (organization_id, key, request_digest, status, body, created_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (organization_id, key) DO UPDATE
       SET request_digest = excluded.request_digest, status = excluded.status, body = excluded.body, created_at = excluded.created_at`,
      [scope.organizationId, key, requestDigest, answer.status, JSON.stringify(answer.body), this.clock.now()],
    );
  }
}

function reusedKey(): Error {
  const msg = 'This Idempotency-Key was used with another request';
  return invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
}
