import { Database } from '@app/database';
import { Clock, conflict, invalid, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Redaction } from '../wire/response-fields.js';
import { openAnswer, sealAnswer } from './sealed-answer.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A request that says by which key it is known. */
export interface IdempotentRequest {
  /** Its `Idempotency-Key`, which is one of the organisation's. */
  readonly key: string;
  /** SHA-256 of method, path and body: under one key there is one such request. */
  readonly digest: string;
  /** Where the answer holds secrets: only this API key is told them again, any other one the answer without them. */
  readonly secrets: { readonly apiKey: string; readonly redact: Redaction } | undefined;
}

interface Remembered {
  readonly request_digest: string;
  readonly status: number;
  readonly body: unknown;
  readonly sealed_body: Buffer | null;
}

/** How long an answer is remembered under its key. */
export const IDEMPOTENCY_KEY_SECONDS = 24 * 3600;

/** The answers of requests that carry an `Idempotency-Key`, each in the transaction of what it answers. */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work` and remembers its answer, or answers what was remembered; nothing is remembered of work that throws.
   * A request whose first run is not over is a conflict. Invalid is a key that stood for another request.
   */
  async once(
    scope: Scope,
    request: IdempotentRequest,
    work: () => Promise<Answer>,
  ): Promise<Answer & { readonly replayed: boolean }> {
    return this.database.transaction(async () => {
      await this.lock(scope, request);
      const remembered = await this.find(scope, request);
      if (remembered !== undefined) return { ...recall(scope, request, remembered), replayed: true };
      const answer = await work();
      await this.remember(scope, request, answer);
      return { ...answer, replayed: false };
    });
  }

  /** Drops what is older than the retention; answers how many. */
  async prune(): Promise<number> {
    const limit = new Date(this.clock.millis() - IDEMPOTENCY_KEY_SECONDS * 1000);
    const gone = await this.database.unhurried(() =>
      this.database.sql('DELETE FROM idempotency_keys WHERE created_at < $1 RETURNING 1 AS one', [limit]),
    );
    return gone.length;
  }

  /** Held until the transaction ends; a second request with the key meanwhile is told so instead of waiting. */
  private async lock(scope: Scope, { key }: IdempotentRequest): Promise<void> {
    const [row] = await this.database.sql<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
      [`idempotency ${scope.organizationId} ${key}`],
    );
    if (row?.locked !== true) {
      throw conflict('idempotent_request_running', 'A request with this Idempotency-Key is still running');
    }
  }

  private async find(scope: Scope, { key }: IdempotentRequest): Promise<Remembered | undefined> {
    const limit = new Date(this.clock.millis() - IDEMPOTENCY_KEY_SECONDS * 1000);
    const [row] = await this.database.sql<Remembered>(
      `SELECT request_digest, status, body, sealed_body FROM idempotency_keys
       WHERE organization_id = $1 AND key = $2 AND created_at >= $3`,
      [scope.organizationId, key, limit],
    );
    return row;
  }

  private async remember(scope: Scope, request: IdempotentRequest, { status, body }: Answer): Promise<void> {
    const { key, digest, secrets } = request;
    const kept =
      secrets === undefined
        ? [JSON.stringify(body), null]
        : [JSON.stringify(secrets.redact(body)), sealAnswer(body, secrets.apiKey, placeOf(scope, request))];
    await this.database.sql(
      `INSERT INTO idempotency_keys (organization_id, key, request_digest, status, body, sealed_body, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (organization_id, key) DO UPDATE
       SET request_digest = excluded.request_digest, status = excluded.status, body = excluded.body,
         sealed_body = excluded.sealed_body, created_at = excluded.created_at`,
      [scope.organizationId, key, digest, status, ...kept, this.clock.now()],
    );
  }
}

function recall(scope: Scope, request: IdempotentRequest, remembered: Remembered): Answer {
  const { request_digest, status, body, sealed_body: sealed } = remembered;
  if (request_digest !== request.digest) {
    const msg = 'This Idempotency-Key was used with another request';
    throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }]);
  }
  if (sealed === null) return { status, body };
  const opened = openAnswer(sealed, request.secrets?.apiKey ?? '', placeOf(scope, request));
  return opened === undefined ? { status, body } : { status, body: opened.body };
}

function placeOf(scope: Scope, { key, digest }: IdempotentRequest): string {
  return JSON.stringify([scope.organizationId, key, digest]);
}
