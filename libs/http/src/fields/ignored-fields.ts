import type { ServerResponse } from 'node:http';
import { ApiExtension } from '@nestjs/swagger';
import { aliasesOf, declaredFieldsOf, isDict, keysWithEffectOf } from './field.js';
import { objectsIn, type RequestObject } from './nested-objects.js';
import type { LocatedFault } from '../errors/invalid-request.js';

export const IGNORED_FIELDS_HEADER = 'X-Ignored-Fields';

/** At most this many names are reported. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 100;
const FORBIDS_UNKNOWN = 'wire:forbids-unknown';
/** Marks the schema of a class that forbids unknown fields, see `buildDocument`. */
export const CLOSED_SCHEMA = 'x-closed';

type Shape = new () => object;

/** Which fields a request class has; computed once per class. */
interface KnownFields {
  readonly names: ReadonlySet<string>;
  /** The keys that have an effect, by the name of the free-form object that contains them. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
}

const knownFields = new WeakMap<Shape, KnownFields>();

/**
 * The request class rejects fields that it does not declare, instead of ignoring them, and so do the nested objects in
 * it. The OpenAPI document says so of this class only: nested classes declare it as well.
 */
export const ForbidUnknownFields = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(FORBIDS_UNKNOWN, true, target);
  ApiExtension(CLOSED_SCHEMA, true)(target);
};

/** Returns a fault for each undeclared field of the objects in a request whose classes forbid them. */
export function unknownFieldFaults(object: RequestObject, isForbidden = false): LocatedFault[] {
  const forbids = Reflect.getMetadata(FORBIDS_UNKNOWN, object.shape) === true || (isForbidden && !object.isOpen);
  return [
    ...(forbids ? undeclaredFaults(object) : []),
    ...objectsIn(object).flatMap((nested) => unknownFieldFaults(nested, forbids)),
  ];
}

function undeclaredFaults({ shape, value, loc }: RequestObject): LocatedFault[] {
  const { names } = knownFieldsOf(shape);
  return Object.keys(value)
    .filter((name) => !names.has(name))
    .map((name) => ({
      loc: [...loc, name],
      msg: `Unknown field; known: ${[...names].join(', ')}`,
      type: 'extra_forbidden',
    }));
}

/** Sets `X-Ignored-Fields` if the body has fields that its request class does not declare or that have no effect. */
export function reportIgnoredFields(shape: Shape, body: unknown, response: ServerResponse): void {
  if (!isDict.passes(body)) return;
  const ignored = ignoredFields(shape, body as Readonly<Record<string, unknown>>);
  if (ignored.length > 0) response.setHeader(IGNORED_FIELDS_HEADER, ignored.map(printable).join(', '));
}

function ignoredFields(shape: Shape, body: Readonly<Record<string, unknown>>): string[] {
  const { names, keys } = knownFieldsOf(shape);
  const ignored: string[] = [];
  for (const name in body) {
    if (!names.has(name)) ignored.push(name);
    if (ignored.length === MAX_NAMES) break;
  }
  for (const [name, known] of keys) {
    const value = body[name];
    const without = isDict.passes(value) ? Object.keys(value as object).filter((key) => !known.has(key)) : [];
    ignored.push(...without.slice(0, MAX_NAMES - ignored.length).map((key) => `${name}.${key}`));
  }
  return ignored;
}

function knownFieldsOf(shape: Shape): KnownFields {
  const existing = knownFields.get(shape);
  if (existing !== undefined) return existing;
  const prototype = shape.prototype as object;
  const names = new Set([...declaredFieldsOf(prototype).keys(), ...Object.values(aliasesOf(prototype))]);
  const keys = new Map(Object.entries(keysWithEffectOf(prototype)).map(([name, list]) => [name, new Set(list)]));
  const known = { names, keys };
  knownFields.set(shape, known);
  return known;
}

/** Percent-encodes characters that a header, or a list in a header, cannot contain. */
function printable(name: string): string {
  const wellFormed = name.slice(0, MAX_NAME_LENGTH).replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return encodeURIComponent(wellFormed).replaceAll('%24', '$').replaceAll('%40', '@').replaceAll('%2F', '/');
}
