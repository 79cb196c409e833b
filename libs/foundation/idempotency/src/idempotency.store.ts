import { Database } from '@app/database';
import { Clock, conflict, idempotencyKeyReused, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { IdempotencyRepository, type StoredResponse } from './idempotency.repository.js';
import { openResponse, sealResponse } from './sealed-response.js';

export interface IdempotentResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface IdempotentRequest {
  /** Its idempotency key, unique within the organization. */
  readonly key: string;
  /** SHA-256 or HMAC-SHA-256 of method, URL and body. A known key with another digest is rejected. */
  readonly digest: string;
  /**
   * Set if the response contains secrets: a replay returns them only to this API key, and the redacted response to
   * others.
   */
  readonly secrets: { readonly apiKey: string; readonly redact: (body: unknown) => unknown } | undefined;
}

/** How long a response is kept under its key. */
export const IDEMPOTENCY_KEY_SECONDS = 24 * 3600;

/** Stores the responses of requests with an idempotency key, each in the transaction of the request's own writes. */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly database: Database,
    private readonly responses: IdempotencyRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work` and stores its response, or returns the stored one; stores nothing if `work` throws. Throws `conflict`
   * while the first request with the key runs, `invalid` if the key was used with another request.
   */
  async once(
    scope: Scope,
    request: IdempotentRequest,
    work: () => Promise<IdempotentResponse>,
  ): Promise<IdempotentResponse & { readonly replayed: boolean }> {
    return this.database.transactionOf(scope, async () => {
      if (!(await this.responses.tryLock(scope, request.key))) throw stillRunning();
      const stored = await this.responses.find(scope, request.key, this.oldestKept());
      if (stored !== undefined) return { ...replay(scope, request, stored), replayed: true };
      const response = await work();
      await this.responses.save(scope, request.key, toStored(scope, request, response), this.clock.now());
      return { ...response, replayed: false };
    });
  }

  /** Deletes up to `limit` expired responses, and returns how many were deleted. */
  async prune(limit: number): Promise<number> {
    return this.responses.prune(this.oldestKept(), limit);
  }

  private oldestKept(): Date {
    return new Date(this.clock.millis() - IDEMPOTENCY_KEY_SECONDS * 1000);
  }
}

function stillRunning(): Error {
  return conflict('idempotent_request_running', 'A request with this Idempotency-Key is still running');
}

function toStored(scope: Scope, request: IdempotentRequest, { status, body }: IdempotentResponse): StoredResponse {
  const { digest, secrets } = request;
  if (secrets === undefined) return { request_digest: digest, status, body, sealed_body: null };
  const sealed = sealResponse(body, secrets.apiKey, placeOf(scope, request));
  return { request_digest: digest, status, body: secrets.redact(body), sealed_body: sealed };
}

function replay(scope: Scope, request: IdempotentRequest, stored: StoredResponse): IdempotentResponse {
  const { request_digest, status, body, sealed_body: sealed } = stored;
  if (request_digest !== request.digest) throw idempotencyKeyReused('request');
  if (sealed === null) return { status, body };
  const opened = openResponse(sealed, request.secrets?.apiKey ?? '', placeOf(scope, request));
  return opened === undefined ? { status, body } : { status, body: opened.body };
}

/** A sealed response can be opened only with the key and for the request with which it was stored. */
function placeOf(scope: Scope, { key, digest }: IdempotentRequest): string {
  return JSON.stringify([scope.organizationId, key, digest]);
}
