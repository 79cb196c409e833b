import { createHash } from 'node:crypto';
import type { Scope } from '@app/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { foundFaults } from '../wire/found-faults.js';
import { IdempotencyStore, type IdempotentRequest } from './idempotency.store.js';
import { isIdempotent, redactionFor } from './answers.js';
import { idempotencyKeyOf, REPLAYED } from './idempotency-key.js';
import { credentialOf, type WireRequest } from './access.js';

/** Those of both APIs: which of them a route takes, its guard has said. */
const SCHEMES = ['Bearer', 'UserKey'];

/**
 * Runs a route that starts something at most once per `Idempotency-Key`. The handler's writes and the remembered
 * answer are one transaction, so there is no moment in which one exists without the other.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly store: IdempotencyStore) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & WireRequest>();
    const { caller } = request;
    const mayRun = foundFaults(request.body).length === 0;
    if (caller === undefined || !mayRun || !isIdempotent(context.getHandler())) return next.handle();
    const key = idempotencyKeyOf(request);
    if (key === null) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const redact = redactionFor(context.getHandler());
    const secrets = redact && { apiKey: apiKeyOf(request), redact };
    const asked = { key, digest: digest(request), secrets };
    return from(this.once(caller, asked, response, () => lastValueFrom(next.handle())));
  }

  private async once(
    scope: Scope,
    request: IdempotentRequest,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const answer = await this.store.once(scope, request, async () => ({
      body: await handle(),
      status: response.statusCode,
    }));
    if (answer.replayed) response.setHeader(REPLAYED, 'true');
    response.status(answer.status);
    return answer.body;
  }
}

/** Secrets are never kept in plain text for want of a key: a guard that takes another scheme must be known here. */
function apiKeyOf({ headers }: WireRequest): string {
  const key = credentialOf(headers, SCHEMES);
  if (key === undefined) throw new Error('A request has a caller, but no API key to seal its answer by');
  return key;
}

/** The same key on another route or with another body is another request. */
function digest(request: Request & WireRequest): string {
  const hash = createHash('sha256').update(`${request.method} ${request.originalUrl}\n`);
  return hash.update(request.rawBody ?? '').digest('hex');
}
