import type { ServerResponse } from 'node:http';
import { Injectable, SetMetadata, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { readJson } from '../wire/body.js';
import { withFoundFaults } from '../wire/found-faults.js';
import { boundsOf, readBody } from '../wire/read-body.js';
import { accessOf, type WireRequest } from './access.js';
import { isIdempotent } from './answers.js';
import { idempotencyKeyFaults } from './idempotency-key.js';
import { takesBody } from './route-arguments.js';
import { pathFaults } from './uuid-param.js';

const LARGE_BODY = 'route:large-body';
const UNPARSED_BODY = 'route:unparsed-body';

/** The route takes bodies of up to 10 MiB instead of 1 MiB. */
export const LargeBody = (): MethodDecorator => SetMetadata(LARGE_BODY, true);

/** The handler judges the bytes (`rawBody`) itself before it has them parsed. */
export const UnparsedBody = (): MethodDecorator => SetMetadata(UNPARSED_BODY, true);

/**
 * Reads and parses the body after the guards have spoken: of a request whose key is missing or may not call the route,
 * nothing is read, inflated or taken apart into a value of many times its size.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & WireRequest>();
    const handler = context.getHandler();
    const bounds = boundsOf(accessOf(handler), Reflect.getMetadata(LARGE_BODY, handler) === true);
    const bytes = await readBody(request, http.getResponse<ServerResponse>(), bounds);
    request.rawBody = bytes;
    const isParsed = Reflect.getMetadata(UNPARSED_BODY, handler) !== true;
    const { value, faults } = readJson(isParsed ? bytes : NOTHING, request.headers['content-type']);
    const found = [
      ...pathFaults(handler, request.params),
      ...(isIdempotent(handler) ? idempotencyKeyFaults(request) : []),
      ...faults,
    ];
    request.body = withFoundFaults(value, found, () => takesBody(context.getClass(), handler.name));
    return next.handle();
  }
}

const NOTHING = new Uint8Array();
