import { createHash } from 'node:crypto';
import { invalid, type Scope } from '@app/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { IdempotencyStore } from './idempotency.store.js';
import { isIdempotent } from './answers.js';
import type { WireRequest } from './access.js';

const MAX_KEY_LENGTH = 255;

/**
 * Runs a route that starts something at most once per `Idempotency-Key`. The handler's writes and the remembered
 * answer are one transaction, so there is no moment in which one exists without the other.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly store: IdempotencyStore) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & WireRequest>();
    const key = request.headers['idempotency-key'];
    const { caller } = request;
    if (key === undefined || caller === undefined || !isIdempotent(context.getHandler())) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return from(this.once(caller, checkKey(key), request, response, () => lastValueFrom(next.handle())));
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

function checkKey(header: string | string[]): string {
  const key = Array.isArray(header) ? header.join(',') : header;
  if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
    const msg = `Idempotency-Key should have 1 to ${MAX_KEY_LENGTH} characters`;
    throw invalid([
      { loc: ['header', 'Idempotency-Key'], msg, type: key.length < 1 ? 'string_too_short' : 'string_too_long' },
    ]);
  }
  return key;
}

/** The same key on another route or with another body is another request. */
function digest(request: Request & WireRequest): string {
  const hash = createHash('sha256').update(`${request.method} ${request.originalUrl}\n`);
  return hash.update(request.rawBody ?? '').digest('hex');
}
