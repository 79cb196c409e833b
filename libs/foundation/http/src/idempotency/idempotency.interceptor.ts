import type { ServerResponse } from 'node:http';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { foundFaults } from '../fields/found-faults.js';
import { KeepsAsyncContext } from '../routes/async-context.js';
import type { WireRequest } from '../wire/wire-request.js';
import { hasSecretBody, isIdempotent } from './idempotent.js';
import { redactionFor } from '../routes/returns.js';
import { IdempotentResponses } from './idempotent-responses.js';

/** Runs an `@Idempotent()` route once per `Idempotency-Key` of the caller's organization. */
@Injectable()
@KeepsAsyncContext()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly responses: IdempotentResponses) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<WireRequest & { readonly body: unknown }>();
    const { caller } = request;
    const mayRun = foundFaults(request.body).length === 0;
    if (caller === undefined || !mayRun || !isIdempotent(context.getHandler())) return next.handle();
    if (request.headers['idempotency-key'] === undefined) return next.handle();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const redact = redactionFor(context.getHandler());
    const secrets = redact && { apiKey: apiKeyOf(request), redact };
    const digestKey = hasSecretBody(context.getHandler()) ? apiKeyOf(request) : undefined;
    const who = { scope: caller, keyPrefix: '', secrets, digestKey };
    return from(this.responses.once(who, request, response, () => lastValueFrom(next.handle())));
  }
}

/** Throws if no key was accepted, so that secrets are never stored in plain text. */
function apiKeyOf({ apiKey }: WireRequest): string {
  if (apiKey === undefined) throw new Error('The request has a caller but no API key with which to seal its response');
  return apiKey;
}
