import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseConfig } from '@app/config';
import { endStatementsWith, ReadEnded } from '@app/database';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { onResponseClosed } from '../wire/on-response-closed.js';
import { KeepsAsyncContext } from './async-context.js';
import { isLongRead } from './long-read.js';
import { answersOnce } from './returns.js';

/**
 * Cancels the statements of a read (GET) after a time limit, with 503 `store_timeout`; a `LongRead` has a limit of its
 * own. Also cancels them immediately when the client disconnects: nobody receives the result, and the statements would
 * delay other requests. Streams have no limit. The interceptor opens an async context only for reads. A hot route cannot
 * be a GET (`compileFastRoute`), so `@KeepsAsyncContext()` is correct.
 */
@Injectable()
@KeepsAsyncContext()
export class ReadLimitInterceptor implements NestInterceptor {
  constructor(private readonly config: DatabaseConfig) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const handler = context.getHandler();
    if (http.getRequest<IncomingMessage>().method !== 'GET' || !answersOnce(handler)) return next.handle();
    const isLong = isLongRead(handler);
    const limit = isLong ? this.config.longReadTimeoutMs : this.config.readTimeoutMs;
    const end = new AbortController();
    const endWith = (reason: string) => (): void => end.abort(new ReadEnded(reason));
    const timer = limit === 0 ? undefined : setTimeout(endWith(`The read took more than ${limit} ms`), limit);
    const stopListening = onResponseClosed(http.getResponse<ServerResponse>(), endWith('The client disconnected'));
    return endStatementsWith(end.signal, () => next.handle(), { isLong }).pipe(
      finalize(() => {
        clearTimeout(timer);
        stopListening();
      }),
    );
  }
}
