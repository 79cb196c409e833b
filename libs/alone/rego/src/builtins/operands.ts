import { isInteger, toBigInt } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { isArray, isNumeric, RegoObject, RegoSet, typeName } from '../values/value.js';
import type { Value } from '../values/value.js';
import { BuiltinError } from './types.js';

/**
 * Returns the error, with the wording of the reference implementation, for operand `position` (from 1) that does not
 * have the expected type.
 */
export function operandError(position: number, expected: string, got: Value): BuiltinError {
  const found = typeName(got);
  return new BuiltinError(`operand ${position} must be ${expected} but got ${found}`, 'eval_type_error');
}

/** Returns the error for an element of an array or a set that does not have the type that all elements must have. */
export function elementError(position: number, composite: Value, expected: string, got: Value): BuiltinError {
  const kind = typeName(composite);
  return typeError(`operand ${position} must be ${kind} of ${expected}s but got ${kind} containing ${typeName(got)}`);
}

export function typeError(message: string): BuiltinError {
  return new BuiltinError(message, 'eval_type_error');
}

export function stringOperand(args: readonly Value[], position: number): string {
  const value = args[position - 1] as Value;
  if (typeof value !== 'string')
    throw new BuiltinError(`operand ${position} must be string but got ${typeName(value)}`, 'eval_type_error');
  return value;
}

export function numberOperand(args: readonly Value[], position: number): Numeric {
  const value = args[position - 1] as Value;
  if (!isNumeric(value)) throw operandError(position, 'number', value);
  return value;
}

/** Reads an integer of any size. */
export function bigIntOperand(args: readonly Value[], position: number): bigint {
  const value = args[position - 1] as Value;
  if (!isNumeric(value)) throw operandError(position, 'integer', value);
  const integer = isInteger(value) ? toBigInt(value) : undefined;
  if (integer === undefined) {
    throw new BuiltinError(
      `operand ${position} must be integer number but got floating-point number`,
      'eval_type_error',
    );
  }
  return integer;
}

/** Reads an integer that a double represents exactly. */
export function intOperand(args: readonly Value[], position: number): number {
  numberOperand(args, position);
  const integer = bigIntOperand(args, position);
  const value = Number(integer);
  if (!Number.isSafeInteger(value)) throw new BuiltinError(`operand ${position} is out of range`);
  return value;
}

export function arrayOperand(args: readonly Value[], position: number): readonly Value[] {
  const value = args[position - 1] as Value;
  if (!isArray(value)) throw operandError(position, 'array', value);
  return value;
}

export function setOperand(args: readonly Value[], position: number): RegoSet {
  const value = args[position - 1] as Value;
  if (!(value instanceof RegoSet)) throw operandError(position, 'set', value);
  return value;
}

export function objectOperand(args: readonly Value[], position: number): RegoObject {
  const value = args[position - 1] as Value;
  if (!(value instanceof RegoObject)) throw operandError(position, 'object', value);
  return value;
}

/** Returns the members of an array or, in order, of a set. */
export function itemsOperand(
  args: readonly Value[],
  position: number,
  expected = 'one of {set, array}',
): readonly Value[] {
  const value = args[position - 1] as Value;
  if (isArray(value)) return value;
  if (value instanceof RegoSet) return value.items();
  throw operandError(position, expected, value);
}

export function stringItems(args: readonly Value[], position: number): readonly string[] {
  return itemsOperand(args, position).map((item) => {
    if (typeof item !== 'string') throw elementError(position, args[position - 1] as Value, 'string', item);
    return item;
  });
}
