import { createHash } from 'node:crypto';
import type { Scope } from '@app/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { IdempotencyStore } from './idempotency.store.js';
import { isIdempotent } from './answers.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { WireRequest } from './access.js';

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
    if (caller === undefined || !isIdempotent(context.getHandler())) return next.handle();
    const key = idempotencyKeyOf(request);
    if (key === null) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return from(this.once(caller, key, request, response, () => lastValueFrom(next.handle())));
  }

  private async once(
    scope: Scope,
    key: string,
    request: Request & WireRequest,
    response: Response,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const answer = await this.store.once(scope, key, digest(request), async () => ({
      body: await handle(),
      status: response.statusCode,
    }));
    if (answer.replayed) response.setHeader('Idempotent-Replayed', 'true');
    response.status(answer.status);
    return answer.body;
  }
}

/** The same key on another route or with another body is another request. */
function digest(request: Request & WireRequest): string {
  const hash = createHash('sha256').update(`${request.method} ${request.originalUrl}\n`);
  return hash.update(request.rawBody ?? '').digest('hex');
}
