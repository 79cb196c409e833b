import { compareNumeric, Decimal } from './decimal.js';
import { effort } from './effort.js';

/**
 * The parts of values that this module reads. It identifies objects and sets by `kind` and does not import their
 * classes, because value.ts imports this module.
 */
export type Comparable =
  null | boolean | number | string | Decimal | readonly Comparable[] | ComparableObject | ComparableSet;
export interface ComparableObject {
  readonly kind: 'object';
  readonly size: number;
  keys(): readonly Comparable[];
  get(key: Comparable): Comparable | undefined;
}
export interface ComparableSet {
  readonly kind: 'set';
  readonly size: number;
  items(): readonly Comparable[];
  unordered(): Iterable<Comparable>;
  has(item: Comparable): boolean;
}

function isList(value: Comparable): value is readonly Comparable[] {
  return Array.isArray(value);
}

/** null < boolean < number < string < array < object < set */
function rank(value: Comparable): number {
  if (value === null) return 0;
  switch (typeof value) {
    case 'boolean':
      return 1;
    case 'number':
      return 2;
    case 'string':
      return 3;
    default:
      break;
  }
  if (value instanceof Decimal) return 2;
  if (isList(value)) return 4;
  return value.kind === 'object' ? 5 : 6;
}

/** Compares by code point, which is the order of UTF-8 bytes. The order of UTF-16 differs above U+D7FF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  if (length > 64) effort.units += length >> 6;
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x === y) continue;
    const surrogateX = x >= 0xd800 && x <= 0xdfff;
    const surrogateY = y >= 0xd800 && y <= 0xdfff;
    if (surrogateX !== surrogateY) return surrogateX ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

export function compare(a: Comparable, b: Comparable): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1;
  const left = rank(a);
  const right = rank(b);
  if (left !== right) return left < right ? -1 : 1;
  if (left === 1) return a === false ? -1 : 1;
  if (left === 2) return compareNumeric(a as number | Decimal, b as number | Decimal);
  if (left === 4) return compareLists(a as readonly Comparable[], b as readonly Comparable[]);
  if (left === 5) return compareObjects(a as ComparableObject, b as ComparableObject);
  return compareLists((a as ComparableSet).items(), (b as ComparableSet).items());
}

function compareLists(a: readonly Comparable[], b: readonly Comparable[]): number {
  const length = Math.min(a.length, b.length);
  effort.units += length;
  for (let at = 0; at < length; at++) {
    const order = compare(a[at] as Comparable, b[at] as Comparable);
    if (order !== 0) return order;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}

function compareObjects(a: ComparableObject, b: ComparableObject): number {
  const left = a.keys();
  const right = b.keys();
  const length = Math.min(left.length, right.length);
  effort.units += length;
  for (let at = 0; at < length; at++) {
    const keyA = left[at] as Comparable;
    const keyB = right[at] as Comparable;
    const order = compare(keyA, keyB) || compare(a.get(keyA) as Comparable, b.get(keyB) as Comparable);
    if (order !== 0) return order;
  }
  return left.length === right.length ? 0 : left.length < right.length ? -1 : 1;
}

export function equal(a: Comparable, b: Comparable): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof Decimal) {
    return b instanceof Decimal && a.exponent === b.exponent && a.coefficient === b.coefficient;
  }
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    effort.units += a.length;
    for (let at = 0; at < a.length; at++) if (!equal(a[at] as Comparable, b[at] as Comparable)) return false;
    return true;
  }
  if (b instanceof Decimal || isList(b)) return false;
  if (a.kind === 'set') {
    if (b.kind !== 'set' || a.size !== b.size) return false;
    effort.units += a.size;
    for (const item of a.unordered()) if (!b.has(item)) return false;
    return true;
  }
  if (b.kind !== 'object' || b.size !== a.size) return false;
  effort.units += a.size;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !equal(a.get(key) as Comparable, other)) return false;
  }
  return true;
}
