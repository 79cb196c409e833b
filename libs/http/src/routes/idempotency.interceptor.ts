import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { foundFaults } from '../wire/found-faults.js';
import { credentialOf, type WireRequest } from './access.js';
import { isIdempotent, redactionFor } from './answers.js';
import { IdempotentAnswers } from './idempotent-answers.js';

/** Those of both APIs: which of them a route takes, its guard has said. */
const SCHEMES = ['Bearer', 'UserKey'];

/** Runs a route that starts something at most once per `Idempotency-Key` of its caller's organisation. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly answers: IdempotentAnswers) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & WireRequest>();
    const { caller } = request;
    const mayRun = foundFaults(request.body).length === 0;
    if (caller === undefined || !mayRun || !isIdempotent(context.getHandler())) return next.handle();
    if (request.headers['idempotency-key'] === undefined) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const redact = redactionFor(context.getHandler());
    const secrets = redact && { apiKey: apiKeyOf(request), redact };
    const who = { scope: caller, keyPrefix: '', secrets };
    return from(this.answers.once(who, request, response, () => lastValueFrom(next.handle())));
  }
}

/** Secrets are never kept in plain text for want of a key: a guard that takes another scheme must be known here. */
function apiKeyOf({ headers }: WireRequest): string {
  const key = credentialOf(headers, SCHEMES);
  if (key === undefined) throw new Error('A request has a caller, but no API key to seal its answer by');
  return key;
}
