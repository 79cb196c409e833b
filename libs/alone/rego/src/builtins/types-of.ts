import { parseNumber, toDouble } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { goQuote } from '../values/text.js';
import { isArray, isNumeric, RegoObject, RegoSet, typeName } from '../values/value.js';
import type { Value } from '../values/value.js';
import { operandError } from './operands.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';

/** Returns true for values of the type, and undefined instead of false for others. */
function isType(test: (value: Value) => boolean): Builtin {
  return { arity: 1, call: ([value]) => test(value as Value) };
}

function toNumber([value]: readonly Value[]): Value {
  if (value === null || value === false) return 0;
  if (value === true) return 1;
  if (isNumeric(value)) return value;
  if (typeof value !== 'string') throw operandError(1, 'one of {null, boolean, number, string}', value as Value);
  if (/^[+-]*(?:nan|inf(?:inity)?)$/i.test(value)) throw operandError(1, 'valid number string', value);
  const number = numberFromText(value);
  const fault = number === undefined ? 'invalid syntax' : Number.isFinite(toDouble(number)) ? '' : 'value out of range';
  if (number === undefined || fault !== '')
    throw new BuiltinError(`strconv.ParseFloat: parsing ${goQuote(value)}: ${fault}`);
  return number;
}

/** Parses a number like Go parses floats: a sign, digits before or after the point, an exponent. */
export function numberFromText(text: string): Numeric | undefined {
  const match = /^([+-]?)(\d*)(\.\d*)?(e[+-]?\d+)?$/i.exec(text);
  if (match === null || `${match[2]}${(match[3] ?? '').slice(1)}` === '') return undefined;
  const fraction = (match[3] ?? '').slice(1);
  return parseNumber(
    `${match[1] === '-' ? '-' : ''}${match[2] === '' ? '0' : match[2]}${fraction === '' ? '' : `.${fraction}`}${match[4] ?? ''}`,
  );
}

function cast(name: string, convert: (value: Value) => Value | undefined): Builtin {
  return {
    arity: 1,
    call: ([value]) => {
      const result = convert(value as Value);
      if (result === undefined) throw operandError(1, name, value as Value);
      return result;
    },
  };
}

export const typeBuiltins: BuiltinTable = {
  is_null: isType((value) => value === null),
  is_boolean: isType((value) => typeof value === 'boolean'),
  is_number: isType(isNumeric),
  is_string: isType((value) => typeof value === 'string'),
  is_array: isType(isArray),
  is_set: isType((value) => value instanceof RegoSet),
  is_object: isType((value) => value instanceof RegoObject),
  type_name: { arity: 1, call: ([value]) => typeName(value as Value) },
  to_number: { arity: 1, call: toNumber },
  cast_array: cast('one of {array, set}', (value) =>
    isArray(value) ? value : value instanceof RegoSet ? value.items() : undefined,
  ),
  cast_set: cast('one of {array, set}', (value) =>
    value instanceof RegoSet ? value : isArray(value) ? new RegoSet(value) : undefined,
  ),
  cast_string: cast('string', (value) => (typeof value === 'string' ? value : undefined)),
  cast_boolean: cast('boolean', (value) => (typeof value === 'boolean' ? value : undefined)),
  cast_null: cast('null', (value) => (value === null ? value : undefined)),
  cast_object: cast('object', (value) => (value instanceof RegoObject ? value : undefined)),
};
