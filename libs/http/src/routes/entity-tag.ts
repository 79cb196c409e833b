import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { describedMethod } from './described-method.js';

/**
 * Sets the `ETag` of the response to a version of what it shows. Returns whether the client has this version
 * (`If-None-Match`): then the handler returns nothing, and the response is 304 without a body.
 */
export type IsKnownVersion = (version: string) => boolean;

const isKnownVersion = createParamDecorator((_data: unknown, context: ExecutionContext): IsKnownVersion => {
  const http = context.switchToHttp();
  const response = http.getResponse<ServerResponse>();
  const known = http.getRequest<IncomingMessage>().headers['if-none-match'];
  return (version) => {
    const tag = `"${version}"`;
    response.setHeader('ETag', tag);
    const isKnown = known !== undefined && (known.trim() === '*' || tagsOf(known).includes(tag));
    if (isKnown) response.statusCode = 304;
    return isKnown;
  };
});

/** The comparison is weak (RFC 9110, section 13.1.2). */
function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

/** Injects an `IsKnownVersion`. */
export const EntityTag = (): ParameterDecorator => (target, method, index) => {
  isKnownVersion()(target, method, index);
  const described = describedMethod(target, method);
  ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`ETag` of an earlier response. If it is still current, the response is 304 without a body',
  })(target, ...described);
  ApiResponse({ status: 304, description: 'The client has the current version' })(target, ...described);
};
