import { isJsonObject, nearestDouble, type JsonObject } from '@app/kernel';

/*
 * Readers of JSON whose shape is not certain: a value of another type is treated as not given, so that the worker works
 * with older and newer control planes.
 */

export function readObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The fields of an object of the API. Their names are checked, and their values are read like all others. */
export type Fields<T extends object> = Readonly<Partial<Record<keyof T, unknown>>>;

export function readFields<T extends object>(value: unknown): Fields<T> {
  return readObject(value) as Fields<T>;
}

/** Null for an empty text. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Omits items of other types. */
export function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Omits items of other types. */
export function readObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function readNumber(value: unknown): number | null {
  const number = nearestDouble(value);
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** `field` may be any text, for example a name that a user chose: only own properties are read. */
export function objectIn(owner: JsonObject, field: string): JsonObject {
  return readObject(Object.hasOwn(owner, field) ? owner[field] : undefined);
}

export function textIn(owner: JsonObject, field: string): string | null {
  return readText(Object.hasOwn(owner, field) ? owner[field] : undefined);
}
