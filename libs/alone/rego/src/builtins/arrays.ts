import type { Run } from '../evaluate/run.js';
import { isArray } from '../values/value.js';
import type { Value } from '../values/value.js';
import { arrayOperand, bigIntOperand } from './operands.js';
import type { BuiltinTable } from './types.js';

function concat(args: readonly Value[], run: Run): Value {
  const left = arrayOperand(args, 1);
  const right = arrayOperand(args, 2);
  run.meter.allocate((left.length + right.length) * 8);
  run.meter.work((left.length + right.length) / 8);
  return [...left, ...right];
}

/** Limits bounds outside the array to its ends. */
function slice(args: readonly Value[], run: Run): Value {
  const items = arrayOperand(args, 1);
  const clamp = (position: number): number => {
    const at = bigIntOperand(args, position);
    return at < 0n ? 0 : at > BigInt(items.length) ? items.length : Number(at);
  };
  const start = clamp(2);
  const end = clamp(3);
  run.meter.allocate(Math.max(0, end - start) * 8);
  return start >= end ? [] : items.slice(start, end);
}

function flatten(args: readonly Value[], run: Run): Value {
  const items = arrayOperand(args, 1);
  const result: Value[] = [];
  for (const item of items) {
    if (isArray(item)) for (const inner of item) result.push(inner);
    else result.push(item);
  }
  run.meter.allocate(result.length * 8);
  return result;
}

export const arrayBuiltins: BuiltinTable = {
  'array.concat': { arity: 2, call: concat },
  'array.slice': { arity: 3, call: slice },
  'array.flatten': { arity: 1, call: flatten },
  'array.reverse': {
    arity: 1,
    call: (args, run) => {
      const items = arrayOperand(args, 1);
      run.meter.allocate(items.length * 8);
      return [...items].reverse();
    },
  },
};
