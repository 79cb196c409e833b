import { isUuid } from '@app/kernel';
import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { LocatedFault } from '../errors/invalid-request.js';
import { describedMethod } from './described-method.js';
import { perHandler } from './per-handler.js';

const UUID_PARAMS = 'route:uuid-params';

const uuidParam = createParamDecorator((name: string, context: ExecutionContext): string =>
  // Only valid UUIDs reach the handler: the faults of `pathFaults` reject the request before it is called.
  String(context.switchToHttp().getRequest<{ params: Record<string, unknown> }>().params[name]).toLowerCase(),
);

/** A path parameter that must be a UUID. The handler receives it in lower case, as ids are stored. */
export const UuidParam =
  (name: string): ParameterDecorator =>
  (target, method, index) => {
    uuidParam(name)(target, method, index);
    const [key, descriptor] = describedMethod(target, method);
    SetMetadata(UUID_PARAMS, [...uuidParamsOf(descriptor.value as object), name])(target, key, descriptor);
    ApiParam({ name, schema: { type: 'string', format: 'uuid' } })(target, key, descriptor);
  };

function uuidParamsOf(handler: object): readonly string[] {
  return (Reflect.getMetadata(UUID_PARAMS, handler) as readonly string[] | undefined) ?? [];
}

const typedParamsOf = perHandler(uuidParamsOf);

/** Returns the faults in the path of a request to this handler. */
export function pathFaults(handler: object, params: Readonly<Record<string, unknown>>): LocatedFault[] {
  return typedParamsOf(handler)
    .filter((name) => !isUuid(String(params[name])))
    .map((name) => ({ loc: ['path', name], msg: 'Input should be a valid UUID', type: 'uuid_parsing' }));
}
