import { createHash } from 'node:crypto';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { WireRequest } from './access.js';
import { idempotencyKeyOf, REPLAYED } from './idempotency-key.js';
import { IdempotencyStore, type IdempotentRequest } from './idempotency.store.js';

/** Whose keys are meant, and which parts of the answers are secret. */
export interface IdempotentCaller {
  readonly scope: Scope;
  /** Sets the keys of callers apart who are not of the organisation itself. */
  readonly keyPrefix: string;
  readonly secrets: IdempotentRequest['secrets'];
}

/** Answers a request that carries an `Idempotency-Key` once, and the same again whenever it is repeated. */
@Injectable()
export class IdempotentAnswers {
  constructor(private readonly store: IdempotencyStore) {}

  /** The writes of `work` and the remembered answer are one transaction. Without a key, `work` simply runs. */
  async once(
    { scope, keyPrefix, secrets }: IdempotentCaller,
    request: Request & WireRequest,
    response: Response,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const key = idempotencyKeyOf(request);
    if (key === null) return work();
    const asked = { key: keyPrefix + key, digest: digest(request), secrets };
    const answer = await this.store.once(scope, asked, async () => ({
      body: await work(),
      status: response.statusCode,
    }));
    if (answer.replayed) response.setHeader(REPLAYED, 'true');
    response.status(answer.status);
    return answer.body;
  }
}

/** The same key on another route or with another body is another request. */
function digest(request: Request & WireRequest): string {
  const hash = createHash('sha256').update(`${request.method} ${request.originalUrl}\n`);
  return hash.update(request.rawBody ?? '').digest('hex');
}
