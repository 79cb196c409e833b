import type { Run } from '../evaluate/run.js';
import { add, multiply } from '../values/arithmetic.js';
import { compare, equal } from '../values/compare.js';
import type { Numeric } from '../values/decimal.js';
import { isArray, isNumeric, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { elementError, itemsOperand, operandError } from './operands.js';
import type { BuiltinTable } from './types.js';

function count(args: readonly Value[], run: Run): Value {
  const value = args[0] as Value;
  if (typeof value === 'string') {
    run.meter.work(value.length / 16);
    return codePoints(value);
  }
  if (isArray(value)) return value.length;
  if (value instanceof RegoObject || value instanceof RegoSet) return value.size;
  throw operandError(1, 'one of {array, object, set, string}', value);
}

export function codePoints(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff && at + 1 < text.length) at++;
    length++;
  }
  return length;
}

function numbers(args: readonly Value[], run: Run): Numeric[] {
  const items = itemsOperand(args, 1);
  run.meter.work(items.length);
  return items.map((item) => {
    if (!isNumeric(item)) throw elementError(1, args[0] as Value, 'number', item);
    return item;
  });
}

function extreme(args: readonly Value[], run: Run, sign: number): Value | undefined {
  const items = itemsOperand(args, 1);
  run.meter.work(items.length);
  return items.reduce<Value | undefined>(
    (best, item) => (best === undefined || compare(item, best) * sign > 0 ? item : best),
    undefined,
  );
}

function sort(args: readonly Value[], run: Run): Value {
  const items = itemsOperand(args, 1);
  run.meter.work(items.length * 4);
  run.meter.allocate(items.length * 8);
  return [...items].sort(compare);
}

/** `x in xs`. In objects, values are searched. */
function isMember(args: readonly Value[], run: Run): Value {
  const [item, container] = args as [Value, Value];
  if (container instanceof RegoSet) return container.has(item);
  const items = isArray(container)
    ? container
    : container instanceof RegoObject
      ? container.keys().map((key) => container.get(key) as Value)
      : [];
  run.meter.work(items.length);
  return items.some((candidate) => equal(candidate, item));
}

function isEntry(args: readonly Value[]): Value {
  const [key, item, container] = args as [Value, Value, Value];
  const found = lookup(container, key);
  return found !== undefined && equal(found, item);
}

export const aggregateBuiltins: BuiltinTable = {
  count: { arity: 1, call: count },
  sum: { arity: 1, call: (args, run) => numbers(args, run).reduce<Numeric>(add, 0) },
  product: { arity: 1, call: (args, run) => numbers(args, run).reduce<Numeric>(multiply, 1) },
  max: { arity: 1, call: (args, run) => extreme(args, run, 1) },
  min: { arity: 1, call: (args, run) => extreme(args, run, -1) },
  sort: { arity: 1, call: sort },
  all: { arity: 1, call: (args) => itemsOperand(args, 1, 'one of {array, set}').every((item) => item === true) },
  any: { arity: 1, call: (args) => itemsOperand(args, 1, 'one of {array, set}').some((item) => item === true) },
  'internal.member_2': { arity: 2, call: isMember },
  'internal.member_3': { arity: 3, call: isEntry },
};
