import { RegoBudgetError, RegoInputError } from '../errors.js';
import { Decimal, fromBigInt, fromDouble, NumberRangeError, numberText, parseNumber, toDouble } from './decimal.js';
import { valueText } from './text.js';
import { isArray, RegoObject, RegoSet } from './value.js';
import type { Value } from './value.js';

/** Plain data as returned by `JSON.parse`. A `bigint` is an exact integer. */
export type Json =
  null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json | undefined };

const MAX_NESTING = 512;

/** Converts plain data to a value. Members of objects are converted when they are first read. */
export function fromPlain(plain: unknown): Value {
  return convert(plain, 0);
}

function convert(plain: unknown, depth: number): Value {
  switch (typeof plain) {
    case 'string':
    case 'boolean':
      return plain;
    case 'number':
      if (!Number.isFinite(plain)) throw new RegoInputError('a number must be finite');
      return fromDouble(plain);
    case 'bigint':
      return fromBigInt(plain);
    case 'object':
      break;
    default:
      throw new RegoInputError(`a ${typeof plain} is not JSON`);
  }
  if (plain === null) return null;
  if (Array.isArray(plain)) {
    if (depth > MAX_NESTING) throw new RegoInputError('arrays are nested too deeply');
    return plain.map((item) => convert(item === undefined ? null : item, depth + 1));
  }
  if (plain instanceof Decimal || plain instanceof RegoObject || plain instanceof RegoSet) return plain;
  return RegoObject.lazy(plain as Record<string, unknown>, fromPlain);
}

/**
 * Returns the value of the text of a JSON number, which plain data may contain in place of a number that a double would
 * round. Throws `RegoInputError`.
 */
export function exactNumber(text: string): Value {
  try {
    const value = parseNumber(text);
    if (value !== undefined) return value;
  } catch (error) {
    if (!(error instanceof NumberRangeError)) throw error;
  }
  throw new RegoInputError('a number has too many digits');
}

/** Converts the text of a number that may not be a double. */
export type ToNumber = (text: string) => Json;

/**
 * Converts a value to plain data. Sets become sorted arrays, keys that are not strings become their text, and numbers
 * that no double represents exactly become the nearest double unless `toNumber` converts them.
 */
export function toPlain(value: Value, toNumber?: ToNumber, level = 0): Json {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Decimal) return toNumber === undefined ? toDouble(value) : toNumber(numberText(value));
  if (level > MAX_NESTING) throw new RegoBudgetError('depth', MAX_NESTING);
  if (isArray(value)) return value.map((item) => toPlain(item, toNumber, level + 1));
  if (value instanceof RegoSet) return value.items().map((item) => toPlain(item, toNumber, level + 1));
  const plain: Record<string, Json> = {};
  for (const key of value.keys()) {
    const name = typeof key === 'string' ? key : valueText(key);
    const member = toPlain(value.get(key) as Value, toNumber, level + 1);
    if (name === '__proto__')
      Object.defineProperty(plain, name, { value: member, enumerable: true, configurable: true });
    else plain[name] = member;
  }
  return plain;
}
