import type { SwaggerCustomOptions } from '@nestjs/swagger';

/** The part of Swagger UI's request that the interceptor reads. */
interface DocsRequest {
  readonly headers: Record<string, string>;
}

/**
 * Adds the scheme to a bare key from the Authorize dialog, which sends the value of a header as it was entered. Runs in
 * the browser: the page contains the text of this function, so the function must not use anything outside itself.
 */
export function addUserKeyScheme(request: DocsRequest): DocsRequest {
  const entered = request.headers['Authorization'];
  if (entered !== undefined && !entered.trim().includes(' ')) {
    request.headers['Authorization'] = `UserKey ${entered.trim()}`;
  }
  return request;
}

/** Swagger UI's options for the documentation of an API. */
export function docsOptions(keyScheme: 'bearer' | 'userkey'): NonNullable<SwaggerCustomOptions['swaggerOptions']> {
  return keyScheme === 'bearer' ? {} : { requestInterceptor: addUserKeyScheme };
}
