import type { ServerResponse } from 'node:http';
import {
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { readJson } from './body.js';
import { withFoundFaults } from '../fields/found-faults.js';
import { boundsOf } from './body-bounds.js';
import { readBody } from './read-body.js';
import { KeepsAsyncContext } from '../routes/async-context.js';
import { accessOf } from '../access/access.js';
import type { WireRequest } from '../wire/wire-request.js';
import { isIdempotent } from '../idempotency/idempotent.js';
import { idempotencyKeyFaults } from '../idempotency/idempotency-key.js';
import { perHandler } from '../routes/per-handler.js';
import { ignoredFieldsOf, ignoredParametersOf, reportIgnored } from '../fields/ignored-fields.js';
import { reportUnchangedFields } from '../fields/unchanged-fields.js';
import { bodyClassOf, queryClassOf } from '../routes/route-arguments.js';
import { declaredQueryOf } from '../routes/declared-query.js';
import { ifMatchFaults } from '../routes/entity-tag.js';
import { isConditional } from '../routes/revised-resource.js';
import { pathFaults } from '../routes/uuid-param.js';

const LARGE_BODY = 'route:large-body';
const UNPARSED_BODY = 'route:unparsed-body';

/** The route accepts bodies of up to 10 MiB instead of 1 MiB. */
export const LargeBody = (): MethodDecorator => SetMetadata(LARGE_BODY, true);

/** The body is not parsed, because the handler first checks its bytes (`rawBody`). */
export const RawBody = (): MethodDecorator => SetMetadata(UNPARSED_BODY, true);

const isLarge = perHandler((handler) => Reflect.getMetadata(LARGE_BODY, handler) === true);
const isParsed = perHandler((handler) => Reflect.getMetadata(UNPARSED_BODY, handler) !== true);
const requestClassOf = perHandler((handler, controller: Type<object>) =>
  bodyClassOf(controller, (handler as { readonly name: string }).name),
);

const queryOf = perHandler((handler, controller: Type<object>) => ({
  shape: queryClassOf(controller, (handler as { readonly name: string }).name),
  others: declaredQueryOf(handler),
}));

/**
 * Reads and parses the body after the guards have accepted the request. Without a valid key, the body is neither read
 * nor decompressed nor parsed, because these steps could need many times its size in memory.
 */
@Injectable()
@KeepsAsyncContext()
export class BodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & WireRequest>();
    const handler = context.getHandler();
    const bodyClass = requestClassOf(handler, context.getClass());
    const access = accessOf(handler);
    // On a route without a key, a body that no code uses would only occupy the budget of other bodies.
    const needsKey = access?.kind === 'any-key' || access?.kind === 'scope';
    const isUsed = needsKey || !isParsed(handler) || bodyClass !== undefined;
    const isKeyed = access !== undefined && access.kind !== 'public';
    const bounds = boundsOf({ isKeyed, isLarge: isLarge(handler) }, request);
    const bytes = isUsed ? await readBody(request, http.getResponse<ServerResponse>(), bounds) : NOTHING;
    request.rawBody = bytes;
    const { value, faults } = readJson(isParsed(handler) ? bytes : NOTHING, request.headers['content-type']);
    const found = [
      ...pathFaults(handler, request.params),
      ...(isIdempotent(handler) ? idempotencyKeyFaults(request) : []),
      ...(isConditional(handler) ? ifMatchFaults(request) : []),
      ...faults,
    ];
    const response = http.getResponse<ServerResponse>();
    const { shape, others } = queryOf(handler, context.getClass());
    const parameters = ignoredParametersOf(shape, others, request.url);
    reportIgnored([...parameters, ...(bodyClass === undefined ? [] : ignoredFieldsOf(bodyClass, value))], response);
    if (bodyClass !== undefined) reportUnchangedFields(bodyClass, value, response);
    request.body = withFoundFaults(value, found, bodyClass !== undefined);
    return next.handle();
  }
}

const NOTHING = new Uint8Array();
