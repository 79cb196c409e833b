import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { InvalidRequest } from '../errors/invalid-request.js';
import { CLOSED, type RequestObject } from './nested-objects.js';
import { isDict } from './field.js';
import { listField, type ListOptions } from './fields.js';

type Shape = new () => object;

/** An item of a `SeparateListField`: parsed, or its faults. */
export type Separate<T> = { readonly value: T } | { readonly fault: InvalidRequest };

const SEPARATE = 'wire:separate-lists';

/**
 * A list of objects of another request class, each of which is parsed by itself: the faults of one item do not reject the
 * request. The parsed list contains a `Separate` for each sent item.
 */
export function SeparateListField(item: Shape, options: ListOptions): PropertyDecorator {
  return (target, property) => {
    ApiExtraModels(item)(target.constructor);
    // An object of another form is no fault of the request: its outcome says what is wrong with it.
    listField(options, { anyOf: [{ $ref: getSchemaPath(item) }, { type: 'object' }] })(target, property);
    Reflect.defineMetadata(SEPARATE, { ...separateListsOf(target), [String(property)]: item }, target);
  };
}

/** Returns the classes of the items of such lists by field name, from the prototype of a request class. */
export function separateListsOf(prototype: object): Readonly<Record<string, Shape>> {
  return (Reflect.getMetadata(SEPARATE, prototype) as Record<string, Shape> | undefined) ?? {};
}

/** Returns the objects in the separate lists of an object of a request. */
export function separateObjectsIn({ shape, value, loc }: RequestObject): RequestObject[] {
  return Object.entries(separateListsOf(shape.prototype as object)).flatMap(([name, item]) => {
    const sent = (value as Readonly<Record<string, unknown>>)[name];
    if (!Array.isArray(sent)) return [];
    return sent.flatMap((one: unknown, index): RequestObject[] =>
      isDict.passes(one) ? [{ shape: item, value: one as object, loc: [...loc, name, String(index)], ...CLOSED }] : [],
    );
  });
}
