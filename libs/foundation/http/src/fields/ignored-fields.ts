import type { ServerResponse } from 'node:http';
import { ApiExtension } from '@nestjs/swagger';
import { aliasesOf, declaredFieldsOf, isDict, keysWithEffectOf, type KeyTree } from './field.js';
import { CLOSED, objectsIn, type RequestObject } from './nested-objects.js';
import { separateObjectsIn } from './separate-list.js';
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
  readonly keys: KeyTree;
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

/**
 * Returns the fields of a body, at most 20, that its request class does not declare or that have no effect. Those of the
 * objects in it come with their path: `config.timeout`, `steps.0.agnt_id`.
 */
export function ignoredFieldsOf(shape: Shape, body: unknown): string[] {
  return isDict.passes(body) ? ignoredFields({ shape, value: body as object, loc: ['body'], ...CLOSED }) : [];
}

/**
 * Returns the names of the parameters in the query of a URL that a route does not know. `shape`: the class of its query,
 * undefined without one. `others`: the parameters that it reads otherwise.
 */
export function ignoredParametersOf(
  shape: Shape | undefined,
  others: ReadonlySet<string>,
  url: string | undefined,
): string[] {
  const query = url?.split('?', 2)[1];
  if (query === undefined || query === '') return [];
  const known = shape === undefined ? NO_FIELDS : knownFieldsOf(shape).names;
  return [...new Set(new URLSearchParams(query).keys())].filter((name) => !known.has(name) && !others.has(name));
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** Sets `X-Ignored-Fields` if there are such names. */
export function reportIgnored(names: readonly string[], response: ServerResponse): void {
  if (names.length === 0) return;
  response.setHeader(IGNORED_FIELDS_HEADER, names.slice(0, MAX_NAMES).map(printable).join(', '));
}

function ignoredFields(object: RequestObject): string[] {
  const { names, keys } = knownFieldsOf(object.shape);
  const ignored: string[] = [];
  const path = (name: string): string => [...object.loc.slice(1), name].join('.');
  for (const name in object.value) {
    if (!object.isFreeForm && !names.has(name)) ignored.push(path(name));
    if (ignored.length === MAX_NAMES) return ignored;
  }
  const values = object.value as Readonly<Record<string, unknown>>;
  for (const [name, known] of Object.entries(keys)) {
    ignored.push(...keysWithoutEffect(path(name), values[name], known));
  }
  for (const nested of [...objectsIn(object), ...separateObjectsIn(object)]) {
    if (ignored.length >= MAX_NAMES) break;
    ignored.push(...ignoredFields(nested));
  }
  return ignored.slice(0, MAX_NAMES);
}

/** Returns the paths of the keys of an object that have no effect. */
function keysWithoutEffect(path: string, value: unknown, known: true | KeyTree): string[] {
  if (known === true || !isDict.passes(value)) return [];
  return Object.entries(value as object).flatMap(([key, inner]) => {
    const tree = Object.hasOwn(known, key) ? known[key] : undefined;
    return tree === undefined ? [`${path}.${key}`] : keysWithoutEffect(`${path}.${key}`, inner, tree);
  });
}

function knownFieldsOf(shape: Shape): KnownFields {
  const existing = knownFields.get(shape);
  if (existing !== undefined) return existing;
  const prototype = shape.prototype as object;
  const names = new Set([...declaredFieldsOf(prototype).keys(), ...Object.values(aliasesOf(prototype))]);
  const known = { names, keys: keysWithEffectOf(prototype) };
  knownFields.set(shape, known);
  return known;
}

/** Percent-encodes characters that a header, or a list in a header, cannot contain. */
function printable(name: string): string {
  const wellFormed = name.slice(0, MAX_NAME_LENGTH).replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return encodeURIComponent(wellFormed).replaceAll('%24', '$').replaceAll('%40', '@').replaceAll('%2F', '/');
}
