import { isUuid, type Fault } from '@app/kernel';
import { Param, SetMetadata } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { describedMethod } from './described-method.js';

export const UUID_PARAMS = 'route:uuid-params';

/** A path parameter that is typed: anything but a UUID is a fault of the request. Handed on as it was sent. */
export const UuidParam =
  (name: string): ParameterDecorator =>
  (target, method, index) => {
    Param(name)(target, method, index);
    const [key, descriptor] = describedMethod(target, method);
    SetMetadata(UUID_PARAMS, [...uuidParamsOf(descriptor.value as object), name])(target, key, descriptor);
    ApiParam({ name, schema: { type: 'string', format: 'uuid' } })(target, key, descriptor);
  };

function uuidParamsOf(handler: object): readonly string[] {
  return (Reflect.getMetadata(UUID_PARAMS, handler) as readonly string[] | undefined) ?? [];
}

/** What is wrong with the path of a request to this handler. */
export function pathFaults(handler: object, params: Readonly<Record<string, unknown>>): Fault[] {
  return uuidParamsOf(handler)
    .filter((name) => !isUuid(String(params[name])))
    .map((name) => ({ loc: ['path', name], msg: 'Input should be a valid UUID', type: 'uuid_parsing' }));
}
