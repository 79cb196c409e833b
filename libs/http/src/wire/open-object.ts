import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { field, isDict, type FieldOptions } from './field.js';

type Shape = new () => object;

const OPEN_OBJECTS = 'wire:open-objects';

/**
 * A free-form object of which some keys are known: those are checked as the class `known` says, in depth. The object is
 * handed on as it came, with every other key and in its own order; nothing in it is converted or left out.
 */
export function OpenObjectField(known: Shape, options: FieldOptions = {}): PropertyDecorator {
  return (target, property) => {
    const shape = { allOf: [{ $ref: getSchemaPath(known) }, { type: 'object' as const, additionalProperties: true }] };
    field(options, shape, [isDict])(target, property);
    ApiExtraModels(known)(target.constructor);
    const fields = { ...openObjectsOf(target), [String(property)]: known };
    Reflect.defineMetadata(OPEN_OBJECTS, fields, target);
  };
}

/** The open objects of a request class, by its prototype: field and class of the known keys. */
export function openObjectsOf(prototype: object): Readonly<Record<string, Shape>> {
  return (Reflect.getMetadata(OPEN_OBJECTS, prototype) as Record<string, Shape> | undefined) ?? {};
}
