import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

export type SetSuccessor = (path: string) => void;

/** Injects a function that redirects a deprecated route to its successor, without a body (RFC 5829). */
export const RedirectToSuccessor = createParamDecorator((_data: unknown, context: ExecutionContext): SetSuccessor => {
  const response = context.switchToHttp().getResponse<ServerResponse>();
  return (path) => {
    response.setHeader('Location', path);
    response.setHeader('Link', `<${path}>; rel="successor-version"`);
  };
});
