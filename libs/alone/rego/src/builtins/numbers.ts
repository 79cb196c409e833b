import { add, divide, multiply, negate, subtract, toIntegral } from '../values/arithmetic.js';
import { compareNumeric, fromBigInt, MAX_DIGITS, toBigInt } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { bigIntOperand, intOperand, numberOperand, operandError, stringOperand, typeError } from './operands.js';
import { deterministicInt } from './random.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';
import { isNumeric } from '../values/value.js';
import type { Run } from '../evaluate/run.js';

/** Charges for an operation. For long numbers it costs up to the product of their lengths. */
function charge(a: Numeric, b: Numeric, run: Run): void {
  if (typeof a === 'number' && typeof b === 'number') return;
  const digits = digitsOf(a) + digitsOf(b);
  run.meter.work(digits / 8 + (digits * digits) / 20_000);
}

function digitsOf(value: Numeric): number {
  return typeof value === 'number'
    ? 1
    : value.coefficient.toString(16).length + Math.min(Math.abs(value.exponent), MAX_DIGITS);
}

function arithmetic(operate: (a: Numeric, b: Numeric) => Numeric): Builtin {
  return {
    arity: 2,
    call: (args, run) => {
      const a = numberOperand(args, 1);
      const b = numberOperand(args, 2);
      charge(a, b, run);
      return operate(a, b);
    },
  };
}

function unary(operate: (a: Numeric) => Numeric): Builtin {
  return { arity: 1, call: (args) => operate(numberOperand(args, 1)) };
}

function quotient(a: Numeric, b: Numeric): Numeric {
  if (compareNumeric(b, 0) === 0) throw new BuiltinError('divide by zero');
  return divide(a, b);
}

function remainder(a: Numeric, b: Numeric): Numeric {
  const x = toBigInt(a);
  const y = toBigInt(b);
  if (x === undefined || y === undefined) throw new BuiltinError('modulo on floating-point number');
  if (y === 0n) throw new BuiltinError('modulo by zero');
  return fromBigInt(x % y);
}

/** Returns the difference of numbers or of sets. */
function minus(args: readonly Value[], run: Run): Value {
  const [a, b] = args as [Value, Value];
  if (isNumeric(a) && isNumeric(b)) return subtract(a, b);
  if (a instanceof RegoSet && b instanceof RegoSet) {
    run.meter.work(a.size);
    return new RegoSet([...a.unordered()].filter((item) => !b.has(item)));
  }
  if (!isNumeric(a) && !(a instanceof RegoSet)) throw operandError(1, 'one of {number, set}', a);
  throw operandError(2, isNumeric(b) ? 'set' : 'number', b);
}

/** Maximum number of bits in the results of shifts and other bit operations. */
const MAX_BITS = 65_536n;

function bits(operate: (a: bigint, b: bigint) => bigint): Builtin {
  return { arity: 2, call: (args) => fromBigInt(operate(bigIntOperand(args, 1), bigIntOperand(args, 2))) };
}

function shift(operate: (a: bigint, by: bigint) => bigint): Builtin {
  return {
    arity: 2,
    call: (args) => {
      const a = bigIntOperand(args, 1);
      numberOperand(args, 2);
      const by = bigIntOperand(args, 2);
      if (by < 0n) throw typeError('operand 2 must be an unsigned integer number but got a negative integer');
      if (by > MAX_BITS) throw new BuiltinError('operand 2 is too large');
      return fromBigInt(operate(a, by));
    },
  };
}

function range(from: bigint, to: bigint, step: bigint, run: Run): Value {
  const span = (from < to ? to - from : from - to) / step + 1n;
  const count = span > 1_000_000_000n ? 1_000_000_000 : Number(span);
  run.meter.allocate(count * 8);
  run.meter.work(count);
  const items: Numeric[] = new Array<Numeric>(count);
  const increment = from <= to ? step : -step;
  for (let at = 0, value = from; at < count; at++, value += increment) items[at] = fromBigInt(value);
  return items;
}

function rangeStep(args: readonly Value[], run: Run): Value {
  const [from, to, step] = [1, 2, 3].map((position) => bigIntOperand(args, position)) as [bigint, bigint, bigint];
  if (step <= 0n) throw new BuiltinError('step must be a positive integer');
  return range(from, to, step, run);
}

export const numberBuiltins: BuiltinTable = {
  plus: arithmetic(add),
  minus: { arity: 2, call: minus },
  mul: arithmetic(multiply),
  div: arithmetic(quotient),
  rem: arithmetic(remainder),
  abs: unary((value) => (compareNumeric(value, 0) < 0 ? negate(value) : value)),
  ceil: unary((value) => toIntegral(value, 'ceil')),
  floor: unary((value) => toIntegral(value, 'floor')),
  round: unary((value) => toIntegral(value, 'round')),
  'numbers.range': { arity: 2, call: (args, run) => range(bigIntOperand(args, 1), bigIntOperand(args, 2), 1n, run) },
  'numbers.range_step': { arity: 3, call: rangeStep },
  'rand.intn': {
    arity: 2,
    call: (args, run) => {
      const limit = Math.abs(intOperand(args, 2));
      return limit === 0 ? 0 : deterministicInt(run.seed, stringOperand(args, 1), limit);
    },
  },
  'bits.and': bits((a, b) => a & b),
  'bits.or': bits((a, b) => a | b),
  'bits.xor': bits((a, b) => a ^ b),
  'bits.negate': { arity: 1, call: (args) => fromBigInt(~bigIntOperand(args, 1)) },
  'bits.lsh': shift((a, by) => a << by),
  'bits.rsh': shift((a, by) => a >> by),
};
