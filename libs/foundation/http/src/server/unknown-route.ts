import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';
import { OptionalKey } from '../access/access.js';
import { findRouteOf, nameOf, type OtherApi } from '../access/other-api.js';
import { HttpProblem } from '../errors/http-problem.js';
import { compilePipeline, type Pipeline } from '../fast-path/pipeline.js';
import type { WireRequest } from '../wire/wire-request.js';

type Explain = (request: WireRequest) => string;

const CurrentRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<WireRequest>(),
);

/**
 * Rejects a request that no route matches with 404, after the guards of the application, so that it counts against the
 * limits of its key. If the other API has the route, the error says so.
 */
export function unknownRoute(config: ApplicationConfig, other: OtherApi | null): Pipeline {
  const explain = other === null ? () => NOT_FOUND : explainWith(other);
  class UnknownRoute {
    @OptionalKey()
    reject(this: void, @CurrentRequest() request: unknown): never {
      throw new HttpProblem('route_not_found', explain(request as WireRequest));
    }
  }
  const instance = new UnknownRoute();
  const handler = instance.reject;
  return compilePipeline(
    { controller: UnknownRoute, instance, methodName: 'reject', handler, httpMethod: 'ALL' },
    config,
  );
}

const NOT_FOUND = 'Not Found';

/** The texts contain the path of the route, never that of the request, which can contain secrets. */
function explainWith(other: OtherApi): Explain {
  const findRoute = findRouteOf(other);
  return (request) => {
    const route = findRoute(request);
    if (route === undefined) return NOT_FOUND;
    return `${route} is a route of ${nameOf(other)}: send it there, with \`Authorization: ${other.scheme} <API key>\``;
  };
}
