import { multiply, toIntegral } from '../values/arithmetic.js';
import { isInteger, makeNumber } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import type { Value } from '../values/value.js';
import { stringOperand } from './operands.js';
import { numberFromText } from './types-of.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

const PREFIXES = ['k', 'm', 'g', 't', 'p', 'e'];

function factor(unit: string): Numeric | undefined {
  const power = PREFIXES.indexOf(unit[0] ?? '') + 1;
  if (power === 0) return undefined;
  const rest = unit.slice(1);
  if (rest === '') return makeNumber(1n, power * 3);
  return rest === 'i' ? makeNumber(1n << BigInt(power * 10), 0) : undefined;
}

interface Amount {
  readonly number: string;
  readonly unit: string;
}

/** The number consists of digits, points and signs, and an `e` that is followed by a digit or a sign. */
function splitAmount(text: string): Amount {
  if (text.includes(' ')) throw new BuiltinError('spaces not allowed in resource strings');
  const number = /^(?:[0-9.+-]|[eE](?=[0-9+-]))*/.exec(text)?.[0] ?? '';
  return { number, unit: text.slice(number.length) };
}

/** The binary number that is nearest to a thousandth. Milliunits are multiplied by it. */
const MILLI = makeNumber(1_152_921_504_606_847n * 5n ** 60n, -60);
const DECIMALS = 10;

function rounded(value: Numeric): Numeric {
  if (isInteger(value)) return value;
  return multiply(toIntegral(multiply(value, makeNumber(1n, DECIMALS)), 'round'), makeNumber(1n, -DECIMALS));
}

function parseUnit(args: readonly Value[]): Value {
  const { number, unit } = splitAmount(stringOperand(args, 1).replaceAll('"', ''));
  if (number === '') throw new BuiltinError('no amount provided');
  // Only a lower-case m means a thousandth. The case of other units is ignored.
  const scale = unit === '' ? 1 : unit === 'm' ? MILLI : factor(unit.toLowerCase());
  if (scale === undefined)
    throw new BuiltinError(`unit ${unit.slice(0, 1)}${unit.slice(1).toLowerCase()} not recognized`);
  const amount = numberFromText(number);
  if (amount === undefined) throw new BuiltinError('could not parse amount to a number');
  return rounded(multiply(amount, scale));
}

function parseBytes(args: readonly Value[]): Value {
  const { number, unit } = splitAmount(stringOperand(args, 1).replaceAll('"', '').toLowerCase());
  if (number === '') throw new BuiltinError('no byte amount provided');
  const scale = unit === '' ? 1 : factor(unit.replace(/b$/, ''));
  if (scale === undefined) throw new BuiltinError(`byte unit ${unit} not recognized`);
  const amount = numberFromText(number);
  if (amount === undefined) throw new BuiltinError('could not parse byte amount to a number');
  return toIntegral(multiply(amount, scale), 'trunc');
}

export const unitBuiltins: BuiltinTable = {
  'units.parse': { arity: 1, call: parseUnit },
  'units.parse_bytes': { arity: 1, call: parseBytes },
};
