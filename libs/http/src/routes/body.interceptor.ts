import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { parseJsonBody } from '../wire/body.js';
import type { WireRequest } from './access.js';

/**
 * Parses the body after the guards have spoken: a stranger learns of the key first, and has no large body taken apart
 * into a value of many times its size.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<WireRequest & { body?: unknown }>();
    request.body = parseJsonBody(request.rawBody ?? new Uint8Array(), request.headers['content-type']);
    return next.handle();
  }
}
