import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isWireClass } from '../fields/wire.pipe.js';

/** Nest's metadata of one argument of a route. */
export interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
  readonly factory?: (data: unknown, context: ExecutionContext) => unknown;
}

/** Returns the arguments of a route. Their keys consist of the kind and the index of the argument. */
export function routeArgumentsOf(controller: object, methodName: string): Readonly<Record<string, RouteArgument>> {
  const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, methodName);
  return (declared ?? {}) as Record<string, RouteArgument>;
}

export function argumentTypesOf(controller: abstract new (...args: never[]) => object, methodName: string): unknown[] {
  return Reflect.getMetadata('design:paramtypes', controller.prototype as object, methodName) as unknown[];
}

const BODY: number = RouteParamtypes.BODY;

/** Returns the request class into which the route parses its body; undefined if it accepts no body. */
export function bodyClassOf(
  controller: abstract new (...args: never[]) => object,
  methodName: string,
): (new () => object) | undefined {
  const types = argumentTypesOf(controller, methodName);
  const body = Object.entries(routeArgumentsOf(controller, methodName)).find(([key]) => kindOf(key) === BODY);
  const type = body === undefined ? undefined : types[body[1].index];
  return isWireClass(type) ? type : undefined;
}

export function kindOf(key: string): number {
  return Number(key.split(':')[0]);
}
