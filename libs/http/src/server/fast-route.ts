import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@app/kernel';
import { HttpStatus, RequestMethod, SetMetadata, type ArgumentMetadata } from '@nestjs/common';
import {
  CONTROLLER_WATERMARK,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { IDEMPOTENT, isIdempotent, REDACTION } from '../routes/answers.js';
import { ACCESS, accessOf, type Access, type WireRequest } from '../routes/access.js';
import { argumentTypesOf, kindOf, routeArgumentsOf, takesBody, type RouteArgument } from '../routes/route-arguments.js';
import { SUMMARY } from '../routes/summary.js';
import { pathFaults, UUID_PARAMS } from '../routes/uuid-param.js';
import type { AuditedRoute } from '../routes/route-audit.js';
import { parseArgument } from '../wire/wire.pipe.js';

const HOT = 'route:hot';
const BODY: number = RouteParamtypes.BODY;
const PARAM: number = RouteParamtypes.PARAM;

/**
 * What metadata the fast lane does the bidding of, or need not: secrets matter only to idempotent answers, summaries
 * only to the documents.
 */
const UNDERSTOOD: ReadonlySet<unknown> = new Set([
  HOT,
  ACCESS,
  IDEMPOTENT,
  REDACTION,
  SUMMARY,
  UUID_PARAMS,
  PATH_METADATA,
  METHOD_METADATA,
  HTTP_CODE_METADATA,
  ROUTE_ARGS_METADATA,
  CONTROLLER_WATERMARK,
]);
/** Metadata of the documents, and of the compiler. */
const WITHOUT_EFFECT = /^(swagger\/|design:)/;

/** Marks a route to be served by the fast lane as well (see FastLane). */
export const HotRoute = (): MethodDecorator => SetMetadata(HOT, true);

type Params = Readonly<Record<string, string>>;
type Argument = (request: WireRequest, response: ServerResponse, params: Params, body: unknown) => unknown;

export interface FastRoute {
  readonly httpMethod: string;
  readonly segments: readonly string[];
  readonly status: number;
  readonly access: Access;
  /** With an `Idempotency-Key` the request goes the ordinary way, which is where keys are kept. */
  readonly idempotent: boolean;
  readonly takesBody: () => boolean;
  readonly pathFaults: (params: Params) => readonly Fault[];
  readonly call: (
    request: IncomingMessage & WireRequest,
    response: ServerResponse,
    params: Params,
    body: unknown,
  ) => Promise<unknown>;
}

/** What the framework's own metadata says of a hot route, turned into plain functions; undefined for other routes. */
export function compileFastRoute(route: AuditedRoute): FastRoute | undefined {
  const { handler, controller, instance, methodName } = route;
  if (Reflect.getMetadata(HOT, handler) !== true) return undefined;
  const access = accessOf(handler);
  if (access === undefined) throw new Error(`${nameOf(route)} declares no access`);
  refuseWhatIsNotUnderstood(route);
  const types = argumentTypesOf(controller, methodName);
  const args: Argument[] = [];
  for (const [key, argument] of Object.entries(routeArgumentsOf(controller, methodName))) {
    args[argument.index] = compileArgument(key, argument, types[argument.index], route);
  }
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
  const status = (Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? HttpStatus.OK) as number;
  const path = [pathOf(controller), pathOf(handler)]
    .map((part) => part.replace(/^\/|\/$/g, ''))
    .filter((part) => part !== '');
  return {
    httpMethod: RequestMethod[method],
    segments: `/${path.join('/')}`.split('/'),
    status,
    access,
    idempotent: isIdempotent(handler),
    takesBody: () => takesBody(controller, methodName),
    pathFaults: (params) => pathFaults(handler, params),
    call: async (request, response, params, body) =>
      handler.apply(
        instance,
        args.map((argument) => argument(request, response, params, body)),
      ),
  };
}

/** Guards, pipes, interceptors, headers, …: the ordinary lane would honour what the fast one does not know. */
function refuseWhatIsNotUnderstood(route: AuditedRoute): void {
  for (const target of [route.handler, route.controller]) {
    for (const key of Reflect.getMetadataKeys(target) as unknown[]) {
      const understood = UNDERSTOOD.has(key) || WITHOUT_EFFECT.test(String(key));
      if (!understood && Reflect.getMetadata(key, target) !== undefined) {
        throw new Error(`${nameOf(route)}: a hot route can not have ${String(key)}`);
      }
    }
  }
}

function compileArgument(key: string, argument: RouteArgument, type: unknown, route: AuditedRoute): Argument {
  const { factory, data, pipes = [] } = argument;
  if (pipes.length > 0) throw new Error(`${nameOf(route)}: a parameter of a hot route can not have pipes`);
  if (factory !== undefined) {
    return (request, response) =>
      factory(data, new ExecutionContextHost([request, response], route.controller, route.handler));
  }
  const metatype = type as NonNullable<ArgumentMetadata['metatype']>;
  const kind = kindOf(key);
  if (kind === BODY) return (_request, _response, _params, body) => parseArgument('body', metatype, body);
  if (kind === PARAM) return (_request, _response, params) => parseArgument('param', metatype, params[String(data)]);
  throw new Error(`${nameOf(route)}: a hot route takes only @Param, @Body and own decorators`);
}

function nameOf({ controller, methodName }: AuditedRoute): string {
  return `${controller.name}.${methodName}`;
}

function pathOf(target: object): string {
  return (Reflect.getMetadata(PATH_METADATA, target) as string | undefined) ?? '';
}
