import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { field, isDict, redeclarable, type FieldOptions } from './field.js';
import { listField, sizeCheck, type ListOptions, type ObjectOptions } from './fields.js';

type Shape = new () => object;

const OPEN_OBJECTS = 'wire:open-objects';

interface OpenObjectOptions extends FieldOptions, Pick<ObjectOptions, 'maxBytes'> {
  /** Whether undeclared keys are what the object is for: `X-Ignored-Fields` does not name them. Default false. */
  readonly isFreeForm?: boolean;
}

/** What is known of an open object, or of each object in a list of them. */
export interface OpenObject {
  readonly known: Shape;
  readonly isFreeForm: boolean;
}

/**
 * A free-form object with some known keys, which are validated in depth against the class `known`. The value itself
 * stays unchanged: it keeps all other keys and the order of keys, and nothing is converted.
 */
export function OpenObjectField(known: Shape, options: OpenObjectOptions = {}): PropertyDecorator {
  return redeclarable(options, (declared) => openObjectField(known, declared));
}

function openObjectField(known: Shape, declared: OpenObjectOptions): PropertyDecorator {
  const { maxBytes, isFreeForm = false, ...options } = declared;
  return (target, property) => {
    const shape = { allOf: [{ $ref: getSchemaPath(known) }, { type: 'object' as const, additionalProperties: true }] };
    field(options, shape, [isDict, ...sizeCheck(maxBytes)])(target, property);
    register({ known, isFreeForm }, target, property);
  };
}

function register(object: OpenObject, target: object, property: string | symbol): void {
  ApiExtraModels(object.known)(target.constructor);
  const fields = { ...openObjectsOf(target), [String(property)]: object };
  Reflect.defineMetadata(OPEN_OBJECTS, fields, target);
}

/** A list of objects like those of `OpenObjectField`. */
export function OpenObjectListField(known: Shape, options: ListOptions = {}): PropertyDecorator {
  return redeclarable(options, (declared) => (target, property) => {
    const items = { allOf: [{ $ref: getSchemaPath(known) }, { type: 'object' as const, additionalProperties: true }] };
    listField(declared, items, isDict)(target, property);
    register({ known, isFreeForm: false }, target, property);
  });
}

/** Returns the open objects, and lists of open objects, of a request class, by field name, from its prototype. */
export function openObjectsOf(prototype: object): Readonly<Record<string, OpenObject>> {
  return (Reflect.getMetadata(OPEN_OBJECTS, prototype) as Record<string, OpenObject> | undefined) ?? {};
}
