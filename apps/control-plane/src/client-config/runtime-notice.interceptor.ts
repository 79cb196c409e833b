import type { ServerResponse } from 'node:http';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import { RUNTIMES } from './client-config.mapper.js';

interface HasRuntime {
  readonly runtime: string | null;
}

/** Characters that a header may contain. */
const PRINTABLE = /^[\x21-\x7e]{1,100}$/;
const known = RUNTIMES.map(({ id }) => id);

/**
 * Reports a written runtime that the reference worker does not have, in the header `X-Notice`. It is not an error: a worker
 * of the operator's own can have it.
 */
@Injectable()
export class RuntimeNoticeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<HasRuntime>): Observable<HasRuntime> {
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      tap(({ runtime }) => {
        if (runtime === null || runtime === '' || known.includes(runtime)) return;
        const named = PRINTABLE.test(runtime) ? `the runtime ${runtime}` : 'this runtime';
        response.setHeader('X-Notice', `The reference worker does not have ${named}; it has: ${known.join(', ')}`);
      }),
    );
  }
}
