import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isWireClass } from '../wire/wire.pipe.js';

/** What the framework keeps of one argument of a route. */
export interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
  readonly factory?: (data: unknown, context: ExecutionContext) => unknown;
}

/** By the argument's kind and index. */
export function routeArgumentsOf(controller: object, methodName: string): Readonly<Record<string, RouteArgument>> {
  const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, methodName);
  return (declared ?? {}) as Record<string, RouteArgument>;
}

export function argumentTypesOf(controller: abstract new (...args: never[]) => object, methodName: string): unknown[] {
  return Reflect.getMetadata('design:paramtypes', controller.prototype as object, methodName) as unknown[];
}

const BODY: number = RouteParamtypes.BODY;

/** Whether the route has its body parsed by a request class. */
export function takesBody(controller: abstract new (...args: never[]) => object, methodName: string): boolean {
  const types = argumentTypesOf(controller, methodName);
  return Object.entries(routeArgumentsOf(controller, methodName)).some(
    ([key, { index }]) => kindOf(key) === BODY && isWireClass(types[index]),
  );
}

export function kindOf(key: string): number {
  return Number(key.split(':')[0]);
}
