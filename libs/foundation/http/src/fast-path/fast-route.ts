import { RequestMethod, SetMetadata } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { ApplicationConfig } from '@nestjs/core';
import type { AuditedRoute } from '../access/route-audit.js';
import { kindOf, routeArgumentsOf } from '../routes/route-arguments.js';
import { pathsOf } from '../access/route-paths.js';
import { compilePipeline, type Pipeline } from './pipeline.js';
import { metricsOf, type RouteMetrics } from '../metrics/request-metrics.js';

const HOT = 'route:hot';
const BODY: number = RouteParamtypes.BODY;
const PARAM: number = RouteParamtypes.PARAM;

/** Serves the route on the fast path as well (see FastPath). */
export const HotRoute = (): MethodDecorator => SetMetadata(HOT, true);

export interface FastRoute {
  readonly httpMethod: string;
  readonly segments: readonly string[];
  readonly status: number;
  readonly call: Pipeline;
  readonly metrics: RouteMetrics;
}

/**
 * Returns the fast path of a hot route; undefined for other routes. Throws if the route uses a feature that only
 * Express supports.
 */
export function compileFastRoute(route: AuditedRoute, config: ApplicationConfig): FastRoute | undefined {
  const { handler, controller, methodName } = route;
  if (Reflect.getMetadata(HOT, handler) !== true) return undefined;
  const unsupported = unsupportedBy(route);
  if (unsupported !== undefined) throw new Error(`${controller.name}.${methodName}: a hot route ${unsupported}`);
  const [segments, ...others] = pathsOf(route);
  if (segments === undefined || others.length > 0) {
    throw new Error(`${controller.name}.${methodName}: a hot route must have exactly one path`);
  }
  const httpMethod = RequestMethod[methodOf(handler)];
  return {
    httpMethod,
    segments,
    status: statusOf(handler),
    call: compilePipeline(route, config),
    metrics: metricsOf(httpMethod, segments.join('/')),
  };
}

/** Features that Nest's router implements outside the global pipeline. */
const ONLY_IN_THE_ROUTER = [
  HEADERS_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  SSE_METADATA,
  HOST_METADATA,
  VERSION_METADATA,
  GUARDS_METADATA,
  PIPES_METADATA,
  INTERCEPTORS_METADATA,
  EXCEPTION_FILTERS_METADATA,
];

function unsupportedBy({ handler, controller, methodName }: AuditedRoute): string | undefined {
  for (const key of ONLY_IN_THE_ROUTER) {
    const isUsed = [handler, controller].some((target) => Reflect.getMetadata(key, target) !== undefined);
    if (isUsed) return `cannot have ${key}`;
  }
  // `ReadLimitInterceptor` opens an async context for reads, which the fast path does not keep.
  if (methodOf(handler) === RequestMethod.GET) return 'cannot be a GET';
  for (const [key, { factory, data, pipes = [] }] of Object.entries(routeArgumentsOf(controller, methodName))) {
    if (pipes.length > 0) return 'cannot have pipes on a parameter';
    const isKnown = (kindOf(key) === BODY && data === undefined) || (kindOf(key) === PARAM && data !== undefined);
    if (factory === undefined && !isKnown) return 'can have only @Param(name), @Body() and custom parameter decorators';
  }
  return statusOf(handler) === 204 ? 'must have a response body' : undefined;
}

function methodOf(handler: object): RequestMethod {
  return Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
}

/** Returns the declared status, or Nest's default. */
function statusOf(handler: object): number {
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declared ?? (methodOf(handler) === RequestMethod.POST ? 201 : 200);
}
