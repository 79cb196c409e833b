import type { ServerResponse } from 'node:http';
import { applyDecorators, createParamDecorator, Header, type ExecutionContext } from '@nestjs/common';

/** Headers of deprecated routes (RFC 9745, RFC 8594). */
const DEPRECATION = 'Deprecation';
const SUNSET = 'Sunset';
export const DEPRECATION_HEADERS: readonly string[] = [DEPRECATION, SUNSET, 'Link'];

/**
 * Sets the headers of a deprecated route.
 *
 * @param since the time since which the route is deprecated, as `@` and seconds since the Unix epoch
 * @param until the date after which the route may be removed, as an HTTP date
 */
export const Deprecated = (since: string, until: string): MethodDecorator =>
  applyDecorators(Header(DEPRECATION, since), Header(SUNSET, until));

export type SetSuccessor = (path: string) => void;

/** Injects a function that redirects a deprecated route to its successor, without a body (RFC 5829). */
export const RedirectToSuccessor = createParamDecorator((_data: unknown, context: ExecutionContext): SetSuccessor => {
  const response = context.switchToHttp().getResponse<ServerResponse>();
  return (path) => {
    response.setHeader('Location', path);
    response.setHeader('Link', `<${path}>; rel="successor-version"`);
  };
});
