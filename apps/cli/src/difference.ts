import type { Row } from './output.js';

/**
 * Returns the fields of `wanted` whose values differ from `current`. Fields that only `current` has are
 * ignored. A nested key that only `current` has is a difference unless its value is empty: the platform adds empty
 * defaults to nested objects.
 */
export function changedFields(wanted: Row, current: Row): Row {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(value, current[name])));
}

export function isSame(wanted: unknown, current: unknown): boolean {
  if (isEmpty(wanted) && isEmpty(current)) return true;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(current) || current.length !== wanted.length) return false;
    return wanted.every((value, index) => isSame(value, current[index]));
  }
  if (isPlainObject(wanted)) {
    if (!isPlainObject(current)) return false;
    return Object.keys({ ...current, ...wanted }).every((key) => isSame(wanted[key], current[key]));
  }
  return wanted === current || isSameTime(wanted, current);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.values(value).every(isEmpty);
}

/** False for references, which are instances of a class. */
function isPlainObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** Compares times as instants, because the platform may return them in another format. */
function isSameTime(wanted: unknown, current: unknown): boolean {
  if (typeof wanted !== 'string' || typeof current !== 'string' || !TIME.test(wanted) || !TIME.test(current))
    return false;
  return Date.parse(wanted) === Date.parse(current);
}
