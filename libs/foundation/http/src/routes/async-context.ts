import { SetMetadata, type NestInterceptor } from '@nestjs/common';

const KEEPS_ASYNC_CONTEXT = 'interceptor:keeps-async-context';

/**
 * Declares that the interceptor opens no async context (`AsyncLocalStorage.run`) around `next.handle()`. The fast path
 * then creates no `AsyncResource` per request to carry the context to the handler.
 */
export const KeepsAsyncContext = (): ClassDecorator => SetMetadata(KEEPS_ASYNC_CONTEXT, true);

export function keepsAsyncContext(interceptor: NestInterceptor): boolean {
  return Reflect.getMetadata(KEEPS_ASYNC_CONTEXT, interceptor.constructor) === true;
}
