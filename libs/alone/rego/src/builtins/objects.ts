import type { Run } from '../evaluate/run.js';
import { equal } from '../values/compare.js';
import { isArray, keyOf, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Key, Value } from '../values/value.js';
import { arrayOperand, elementError, objectOperand, operandError, typeError } from './operands.js';
import type { BuiltinTable } from './types.js';

/** A key that is an array is a path; an empty path returns the object itself. */
function get(args: readonly Value[]): Value | undefined {
  const object = objectOperand(args, 1);
  const [, key, fallback] = args as [Value, Value, Value];
  if (!isArray(key)) return object.has(key) ? object.get(key) : fallback;
  let value: Value = object;
  for (const step of key) {
    const next: Value | undefined = lookup(value, step);
    if (next === undefined) return fallback;
    value = next;
  }
  return value;
}

/** Returns the keys that an operand contains: the items of an array or a set, or the keys of an object. */
function keysOperand(args: readonly Value[], position: number): ReadonlySet<Key> {
  const value = args[position - 1] as Value;
  const keys = isArray(value)
    ? value
    : value instanceof RegoSet
      ? value.items()
      : value instanceof RegoObject
        ? value.keys()
        : undefined;
  if (keys === undefined) throw operandError(position, 'one of {object, set, array}', value);
  return new Set(keys.map(keyOf));
}

function keepKeys(args: readonly Value[], run: Run, keep: boolean): Value {
  const object = objectOperand(args, 1);
  const keys = keysOperand(args, 2);
  run.meter.work(object.size + keys.size);
  run.meter.allocate(object.size * 64);
  return new RegoObject(object.entries().filter(([key]) => keys.has(keyOf(key)) === keep));
}

/** Merges objects member by member. For all other values, the right side is used. */
function mergeValues(left: Value, right: Value, run: Run): Value {
  if (!(left instanceof RegoObject) || !(right instanceof RegoObject)) return right;
  run.meter.work(left.size + right.size);
  run.meter.allocate((left.size + right.size) * 64);
  const entries: [Value, Value][] = left.entries();
  for (const [key, value] of right.entries()) {
    const known = left.get(key);
    entries.push([key, known === undefined ? value : mergeValues(known, value, run)]);
  }
  return new RegoObject(entries);
}

function unionOfMany(args: readonly Value[], run: Run): Value {
  return arrayOperand(args, 1).reduce<Value>((merged, item) => {
    if (!(item instanceof RegoObject)) throw elementError(1, args[0] as Value, 'object', item);
    return mergeValues(merged, item, run);
  }, new RegoObject());
}

function isSubset(container: Value, part: Value, run: Run): boolean {
  run.meter.step();
  if (container instanceof RegoObject && part instanceof RegoObject) {
    return part.entries().every(([key, value]) => {
      const found = container.get(key);
      if (found === undefined) return false;
      const nested =
        (found instanceof RegoObject && value instanceof RegoObject) ||
        (found instanceof RegoSet && value instanceof RegoSet) ||
        (isArray(found) && isArray(value));
      return nested ? isSubset(found, value, run) : equal(found, value);
    });
  }
  if (container instanceof RegoSet && part instanceof RegoSet) return part.items().every((item) => container.has(item));
  if (isArray(container) && isArray(part)) return isSubsequence(container, part, run);
  if (isArray(container) && part instanceof RegoSet) {
    run.meter.work(container.length * part.size);
    return part.items().every((item) => container.some((candidate) => equal(candidate, item)));
  }
  throw typeError('both arguments object.subset must be of the same type or array and set');
}

/** Returns whether `container` contains the items of `part` consecutively. */
function isSubsequence(container: readonly Value[], part: readonly Value[], run: Run): boolean {
  run.meter.work(container.length * Math.max(1, part.length));
  for (let start = 0; start + part.length <= container.length; start++) {
    if (part.every((item, at) => equal(item, container[start + at] as Value))) return true;
  }
  return false;
}

export const objectBuiltins: BuiltinTable = {
  'object.get': { arity: 3, call: get },
  'object.keys': { arity: 1, call: (args) => new RegoSet(objectOperand(args, 1).keys()) },
  'object.remove': { arity: 2, call: (args, run) => keepKeys(args, run, false) },
  'object.filter': { arity: 2, call: (args, run) => keepKeys(args, run, true) },
  'object.union': { arity: 2, call: (args, run) => mergeValues(objectOperand(args, 1), objectOperand(args, 2), run) },
  'object.union_n': { arity: 1, call: unionOfMany },
  'object.subset': { arity: 2, call: ([container, part], run) => isSubset(container as Value, part as Value, run) },
};
