import { Decimal } from './decimal.js';
import type { Numeric } from './decimal.js';
import { compare } from './compare.js';
import { effort } from './effort.js';

export type Value = null | boolean | number | string | Decimal | readonly Value[] | RegoObject | RegoSet;

/** The key of an entry in a collection: a primitive itself, or the canonical encoding of any other value. */
export type Key = null | boolean | number | string;

export type Converter = (value: unknown) => Value;

export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isNumeric(value: Value | undefined): value is Numeric {
  return typeof value === 'number' || value instanceof Decimal;
}

export function keyOf(value: Value): Key {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\0s${value}` : value;
  if (value === null || typeof value !== 'object') return value;
  const id = `\0${encode(value)}`;
  effort.units += id.length >> 5;
  return id;
}

/** Returns an estimate of the bytes that an entry with the key `id` needs. */
export function entryBytes(id: Key, value: Value): number {
  return id === value || typeof id !== 'string' ? 64 : 64 + id.length;
}

/** Returns an unambiguous text of a value. Two values have the same text if and only if they are equal. */
export function encode(value: Value): string {
  if (value === null) return 'N';
  switch (typeof value) {
    case 'boolean':
      return value ? 'T' : 'F';
    case 'number':
      return `d${value};`;
    case 'string':
      return `s${value.length}:${value}`;
    default:
      break;
  }
  if (value instanceof Decimal) return `D${value.coefficient}e${value.exponent};`;
  if (isArray(value)) {
    let text = '[';
    for (const item of value) text += encode(item);
    return `${text}]`;
  }
  return value.encoded();
}

/** An immutable map from any value to any value; `keys()` is in the language's order. */
export class RegoObject {
  readonly kind = 'object';
  private readonly values: Map<Key, Value>;
  private compositeKeys: Map<Key, Value>;
  private sortedKeys: readonly Value[] | undefined;
  private encoding: string | undefined;
  private source: Readonly<Record<string, unknown>> | undefined;
  private convert: Converter | undefined;

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    this.values = new Map();
    this.compositeKeys = NO_KEYS;
    for (const [key, value] of entries) {
      const id = keyOf(key);
      this.values.set(id, value);
      if (id !== key) {
        if (this.compositeKeys === NO_KEYS) this.compositeKeys = new Map();
        this.compositeKeys.set(id, key);
      }
    }
  }

  /** Wraps a plain object; members are converted when they are first read. */
  static lazy(source: Readonly<Record<string, unknown>>, convert: Converter): RegoObject {
    const object = new RegoObject();
    object.source = source;
    object.convert = convert;
    return object;
  }

  get(key: Value): Value | undefined {
    const id = keyOf(key);
    const known = this.values.get(id);
    if (known !== undefined || this.source === undefined) return known;
    if (typeof key !== 'string' || !Object.hasOwn(this.source, key)) return undefined;
    const raw = this.source[key];
    if (raw === undefined || this.convert === undefined) return undefined;
    const value = this.convert(raw);
    this.values.set(id, value);
    return value;
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    this.materialise();
    return this.values.size;
  }

  keys(): readonly Value[] {
    if (this.sortedKeys === undefined) {
      this.materialise();
      const keys: Value[] = [];
      for (const id of this.values.keys()) keys.push(this.compositeKeys.get(id) ?? id);
      this.sortedKeys = keys.sort(compare);
    }
    return this.sortedKeys;
  }

  entries(): [Value, Value][] {
    return this.keys().map((key) => [key, this.get(key) as Value]);
  }

  encoded(): string {
    if (this.encoding === undefined) {
      let text = '{';
      for (const key of this.keys()) text += encode(key) + encode(this.get(key) as Value);
      this.encoding = `${text}}`;
    }
    return this.encoding;
  }

  private materialise(): void {
    const { source, convert } = this;
    if (source === undefined || convert === undefined) return;
    for (const key of Object.keys(source)) {
      const id = keyOf(key);
      if (source[key] !== undefined && !this.values.has(id)) this.values.set(id, convert(source[key]));
      if (id !== key) {
        if (this.compositeKeys === NO_KEYS) this.compositeKeys = new Map();
        this.compositeKeys.set(id, key);
      }
    }
    this.source = undefined;
  }
}

const NO_KEYS: Map<Key, Value> = new Map();

/** An immutable set of values; `items()` is in the language's order. */
export class RegoSet {
  readonly kind = 'set';
  private readonly members: Map<Key, Value>;
  private sorted: readonly Value[] | undefined;
  private encoding: string | undefined;

  constructor(items: Iterable<Value> | Map<Key, Value> = []) {
    if (items instanceof Map) {
      this.members = items;
      return;
    }
    this.members = new Map();
    for (const item of items) this.members.set(keyOf(item), item);
  }

  has(item: Value): boolean {
    return this.members.has(keyOf(item));
  }

  get size(): number {
    return this.members.size;
  }

  /** Returns the members in any order. Cheaper than `items()`. */
  unordered(): IterableIterator<Value> {
    return this.members.values();
  }

  items(): readonly Value[] {
    this.sorted ??= [...this.members.values()].sort(compare);
    return this.sorted;
  }

  encoded(): string {
    if (this.encoding === undefined) {
      let text = '<';
      for (const item of this.items()) text += encode(item);
      this.encoding = `${text}>`;
    }
    return this.encoding;
  }
}

export const EMPTY_OBJECT = new RegoObject();

export function typeName(value: Value): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (value instanceof Decimal) return 'number';
  if (value instanceof RegoObject) return 'object';
  return value instanceof RegoSet ? 'set' : 'array';
}

/** Returns the element of a collection with a key or index; for a set, the member itself. */
export function lookup(container: Value, key: Value): Value | undefined {
  if (container instanceof RegoObject) return container.get(key);
  if (isArray(container)) return typeof key === 'number' && Number.isInteger(key) ? container[key] : undefined;
  if (container instanceof RegoSet) return container.has(key) ? key : undefined;
  return undefined;
}
