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
const QUERY: number = RouteParamtypes.QUERY;

/** Returns the request class into which the route parses its body; undefined if it accepts no body. */
export function bodyClassOf(
  controller: abstract new (...args: never[]) => object,
  methodName: string,
): (new () => object) | undefined {
  return classOf(BODY, controller, methodName);
}

/** Returns the request class into which the route parses its query; undefined without one. */
export function queryClassOf(
  controller: abstract new (...args: never[]) => object,
  methodName: string,
): (new () => object) | undefined {
  return classOf(QUERY, controller, methodName);
}

function classOf(
  kind: number,
  controller: abstract new (...args: never[]) => object,
  methodName: string,
): (new () => object) | undefined {
  const types = argumentTypesOf(controller, methodName);
  const argument = Object.entries(routeArgumentsOf(controller, methodName)).find(([key]) => kindOf(key) === kind);
  const type = argument === undefined ? undefined : types[argument[1].index];
  return isWireClass(type) ? type : undefined;
}

export function kindOf(key: string): number {
  return Number(key.split(':')[0]);
}
