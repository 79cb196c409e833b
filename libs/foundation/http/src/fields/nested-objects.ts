import type { LocatedFault } from '../errors/invalid-request.js';
import { isDict, nestedFieldsOf } from './field.js';
import { openObjectsOf } from './open-object.js';

type Shape = new () => object;

/** An object in a request, with the class that describes it. */
export interface RequestObject {
  readonly shape: Shape;
  readonly value: object;
  readonly loc: LocatedFault['loc'];
  /** Whether undeclared fields of the object are stored with it, see `OpenObjectField`. */
  readonly isOpen: boolean;
  /** Whether undeclared fields are what the object is for. */
  readonly isFreeForm: boolean;
}

/** A field of a request class that contains objects of another one. */
type ObjectField = Pick<RequestObject, 'shape' | 'isOpen' | 'isFreeForm'> & { readonly name: string };

/** An object that stores only its declared fields. */
export const CLOSED = { isOpen: false, isFreeForm: false } as const;

const objectFields = new WeakMap<Shape, readonly ObjectField[]>();

/** Returns the objects directly in an object of a request, or in its lists, that have request classes of their own. */
export function objectsIn({ shape, value, loc }: RequestObject): RequestObject[] {
  return objectFieldsOf(shape).flatMap(({ name, ...field }) => {
    const sent = (value as Readonly<Record<string, unknown>>)[name];
    const at: RequestObject['loc'] = [...loc, name];
    const placed = (one: unknown, place: RequestObject['loc']): RequestObject[] =>
      isDict.passes(one) ? [{ ...field, value: one as object, loc: place }] : [];
    if (!Array.isArray(sent)) return placed(sent, at);
    return sent.flatMap((item: unknown, index) => placed(item, [...at, String(index)]));
  });
}

function objectFieldsOf(shape: Shape): readonly ObjectField[] {
  const existing = objectFields.get(shape);
  if (existing !== undefined) return existing;
  const prototype = shape.prototype as object;
  const fields = [
    ...Object.entries(nestedFieldsOf(prototype)).map(([name, shape]) => ({ name, shape, ...CLOSED })),
    ...Object.entries(openObjectsOf(prototype)).map(([name, { known, isFreeForm }]) => ({
      ...{ name, shape: known, isOpen: true, isFreeForm },
    })),
  ];
  objectFields.set(shape, fields);
  return fields;
}
