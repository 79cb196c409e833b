import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpStatus, RequestMethod, SetMetadata, type ArgumentMetadata } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { isIdempotent } from '../routes/answers.js';
import { accessOf, type Access, type WireRequest } from '../routes/access.js';
import type { AuditedRoute } from '../routes/route-audit.js';
import { parseArgument } from '../wire/wire.pipe.js';

const HOT = 'route:hot';
const BODY: number = RouteParamtypes.BODY;
const PARAM: number = RouteParamtypes.PARAM;

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
  const access = accessOf(handler, controller);
  if (access === undefined) throw new Error(`${controller.name}.${methodName} declares no access`);
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, methodName) ?? {}) as Record<
    string,
    RouteArgument
  >;
  const types = Reflect.getMetadata(
    'design:paramtypes',
    controller.prototype as object,
    methodName,
  ) as readonly unknown[];
  const args: Argument[] = [];
  for (const [key, argument] of Object.entries(declared)) {
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
    call: async (request, response, params, body) =>
      handler.apply(
        instance,
        args.map((argument) => argument(request, response, params, body)),
      ),
  };
}

interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly factory?: (data: unknown, context: ExecutionContextHost) => unknown;
}

function compileArgument(key: string, argument: RouteArgument, type: unknown, route: AuditedRoute): Argument {
  const { factory, data } = argument;
  if (factory !== undefined) {
    return (request, response) =>
      factory(data, new ExecutionContextHost([request, response], route.controller, route.handler));
  }
  const metatype = type as NonNullable<ArgumentMetadata['metatype']>;
  const kind = Number(key.split(':')[0]);
  if (kind === BODY) return (_request, _response, _params, body) => parseArgument('body', metatype, body);
  if (kind === PARAM) return (_request, _response, params) => parseArgument('param', metatype, params[String(data)]);
  throw new Error(
    `${route.controller.name}.${route.methodName}: a hot route takes only @Param, @Body and own decorators`,
  );
}

function pathOf(target: object): string {
  return (Reflect.getMetadata(PATH_METADATA, target) as string | undefined) ?? '';
}
