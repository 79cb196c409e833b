import type { ServerResponse } from 'node:http';
import type { Caller } from '@app/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { onResponseClosed } from '../wire/on-response-closed.js';
import type { WireRequest } from '../wire/wire-request.js';

/** Injects the caller of a route that requires a key. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<WireRequest>();
  if (caller === undefined) throw new Error('A public route has no caller');
  return caller;
});

/**
 * For long responses: injects a signal that is aborted if the caller's key is revoked or expires before the response
 * is complete.
 */
export const KeyEndedSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const http = context.switchToHttp();
  const ended = new AbortController();
  const stop = http.getRequest<WireRequest>().whenKeyEnds?.(() => ended.abort());
  if (stop !== undefined) onResponseClosed(http.getResponse<ServerResponse>(), stop);
  return ended.signal;
});

/**
 * Injects a signal that is aborted when the client disconnects, so that no work is leased to a client that cannot
 * receive it.
 */
export const ClientClosedSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const closed = new AbortController();
  onResponseClosed(context.switchToHttp().getResponse<ServerResponse>(), () => closed.abort());
  return closed.signal;
});
