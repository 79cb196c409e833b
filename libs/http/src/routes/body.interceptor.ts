import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { isJsonType, parseJsonBody } from '../wire/body.js';
import type { WireRequest } from './access.js';

/**
 * Parses the body after the guards have spoken: a stranger learns of the key first, and has no large body taken apart
 * into a value of many times its size.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<WireRequest & { body?: unknown }>();
    const contentType = request.headers['content-type'];
    const binary = /protobuf/.test(contentType ?? '') && !isJsonType(contentType);
    request.body = binary ? undefined : parseJsonBody(request.rawBody ?? new Uint8Array(), contentType);
    return next.handle();
  }
}
