import { align, Decimal, fromBigInt, makeNumber, MAX_DIGITS, NumberRangeError, pow10, toDecimal } from './decimal.js';
import type { Numeric } from './decimal.js';

export function add(a: Numeric, b: Numeric): Numeric {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  const [x, y, exponent] = align(toDecimal(a), toDecimal(b));
  return makeNumber(x + y, exponent);
}

export function negate(a: Numeric): Numeric {
  return typeof a === 'number' ? 0 - a : new Decimal(-a.coefficient, a.exponent);
}

export function subtract(a: Numeric, b: Numeric): Numeric {
  return add(a, negate(b));
}

export function multiply(a: Numeric, b: Numeric): Numeric {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  const x = toDecimal(a);
  const y = toDecimal(b);
  return makeNumber(x.coefficient * y.coefficient, x.exponent + y.exponent);
}

/**
 * Divides exactly if the quotient has at most 19 digits. Otherwise returns the shortest decimal that identifies the
 * nearest binary number with a 64-bit mantissa, like the reference implementation.
 */
export function divide(a: Numeric, b: Numeric): Numeric {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    if (a % b === 0) return a / b + 0;
  }
  const x = toDecimal(a);
  const y = toDecimal(b);
  const shift = x.exponent - y.exponent;
  if (Math.abs(shift) > MAX_DIGITS) throw new NumberRangeError('number has too many digits');
  let numerator = x.coefficient;
  let denominator = y.coefficient;
  if (shift > 0) numerator *= pow10(shift);
  else denominator *= pow10(-shift);
  if (denominator < 0n) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (numerator % denominator === 0n) return fromBigInt(numerator / denominator);
  const scaled = numerator * pow10(19);
  if (scaled % denominator === 0n) {
    const exact = makeNumber(scaled / denominator, -19);
    if (significantDigits(exact) <= 19) return exact;
  }
  return shortestQuotient(numerator, denominator);
}

function significantDigits(value: Numeric): number {
  return toDecimal(value).coefficient.toString().replace('-', '').length;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

interface Binary {
  readonly mantissa: bigint;
  readonly exponent: number;
}

function toBinary64(numerator: bigint, denominator: bigint): Binary {
  let exponent = bitLength(numerator) - bitLength(denominator) - 64;
  for (;;) {
    const top = exponent < 0 ? numerator << BigInt(-exponent) : numerator;
    const bottom = exponent > 0 ? denominator << BigInt(exponent) : denominator;
    let mantissa = top / bottom;
    if (bitLength(mantissa) > 64) {
      exponent++;
      continue;
    }
    const twice = (top % bottom) * 2n;
    if (twice > bottom || (twice === bottom && (mantissa & 1n) === 1n)) mantissa++;
    if (bitLength(mantissa) > 64) return { mantissa: mantissa >> 1n, exponent: exponent + 1 };
    return { mantissa, exponent };
  }
}

function shortestQuotient(numerator: bigint, denominator: bigint): Numeric {
  const negative = numerator < 0n;
  const top = negative ? -numerator : numerator;
  const exact = toBinary64(top, denominator);
  const names = (coefficient: bigint, scale: number): boolean => {
    const back = scale >= 0 ? toBinary64(coefficient, pow10(scale)) : toBinary64(coefficient * pow10(-scale), 1n);
    return back.mantissa === exact.mantissa && back.exponent === exact.exponent;
  };
  const [value, unit] =
    exact.exponent >= 0
      ? [exact.mantissa << BigInt(exact.exponent), 1n]
      : [exact.mantissa, 1n << BigInt(-exact.exponent)];
  const estimate = Math.floor((bitLength(top) - bitLength(denominator)) * 0.30103);
  for (let digits = 17; digits <= 22; digits++) {
    const scale = digits - estimate - 1;
    const [n, d] = scale >= 0 ? [value * pow10(scale), unit] : [value, unit * pow10(-scale)];
    const below = n / d;
    const [nearest, other] = (n % d) * 2n >= d ? [below + 1n, below] : [below, below + 1n];
    const found = names(nearest, scale) ? nearest : names(other, scale) ? other : undefined;
    if (found !== undefined) return makeNumber(negative ? -found : found, -scale);
  }
  return makeNumber((numerator * pow10(22)) / denominator, -22);
}

/** Rounds to an integer: `mode` floor, ceil, trunc, or round (half away from zero). */
export function toIntegral(value: Numeric, mode: 'floor' | 'ceil' | 'trunc' | 'round'): Numeric {
  const { coefficient, exponent } = toDecimal(value);
  if (exponent >= 0) return value;
  if (-exponent > MAX_DIGITS)
    return mode === 'ceil' && coefficient > 0n ? 1 : mode === 'floor' && coefficient < 0n ? -1 : 0;
  const divisor = pow10(-exponent);
  const quotient = coefficient / divisor;
  const rest = coefficient % divisor;
  const sign = coefficient < 0n ? -1n : 1n;
  let result = quotient;
  if (mode === 'floor' && rest < 0n) result -= 1n;
  if (mode === 'ceil' && rest > 0n) result += 1n;
  if (mode === 'round' && (rest < 0n ? -rest : rest) * 2n >= divisor) result += sign;
  return fromBigInt(result);
}
