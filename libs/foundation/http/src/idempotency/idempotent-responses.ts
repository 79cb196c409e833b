import { createHash, createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { IdempotencyStore, type IdempotentRequest } from '@app/idempotency';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { WireRequest } from '../wire/wire-request.js';
import { idempotencyKeyOf, REPLAYED } from './idempotency-key.js';

export interface IdempotentCaller {
  readonly scope: Scope;
  /** Separates the idempotency keys of senders that are not members of the organization. */
  readonly keyPrefix: string;
  readonly secrets: IdempotentRequest['secrets'];
  /**
   * HMAC key for the digest of a request that contains a secret. Without it, the secret could be found by trying
   * values.
   */
  readonly digestKey?: string | undefined;
}

/** Runs a request with an `Idempotency-Key` once, and returns the stored response to repetitions. */
@Injectable()
export class IdempotentResponses {
  constructor(private readonly store: IdempotencyStore) {}

  /**
   * Commits the writes of `work` and the stored response in one transaction. Without a key, only runs `work`. Returns
   * the body; sets the status and, on a replay, the header of the response.
   */
  async once(
    { scope, keyPrefix, secrets, digestKey }: IdempotentCaller,
    request: WireRequest,
    response: ServerResponse,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const key = idempotencyKeyOf(request);
    if (key === null) return work();
    const asked = { key: keyPrefix + key, digest: digest(request, digestKey), secrets };
    const { replayed, status, body } = await this.store.once(scope, asked, async () => ({
      body: await work(),
      status: response.statusCode,
    }));
    if (replayed) response.setHeader(REPLAYED, 'true');
    response.statusCode = status;
    return body;
  }
}

/** The digest covers method, URL and body. A request with the same key and another digest is a different request. */
function digest({ method, url, rawBody }: WireRequest, key: string | undefined): string {
  const hash = (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(`${method} ${url}\n`);
  return hash.update(rawBody ?? '').digest('hex');
}
