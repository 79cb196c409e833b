/**
 * Exact decimal numbers. A number of the language is a plain JS number when it is a safe integer, or a fraction whose
 * decimal text has at most 15 significant digits, because such a text is unchanged after conversion to a double and
 * back; every other number is a `Decimal`. Each value is either always plain or always a `Decimal`, so `===` decides
 * equality of plain numbers.
 */
export class Decimal {
  constructor(
    readonly coefficient: bigint,
    readonly exponent: number,
    /**
     * The text from which the number was read, if that text has an exponent. The number is printed like this;
     * comparisons ignore it.
     */
    readonly written?: string,
  ) {}
}

export type Numeric = number | Decimal;

/** Maximum number of digits in a number, or in the alignment of two. Calculations with more digits fail. */
export const MAX_DIGITS = 20_000;
const MAX_EXPONENT = 1_000_000;
const NUMBER_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export class NumberRangeError extends Error {}

const POWERS: bigint[] = [1n];

export function pow10(exponent: number): bigint {
  if (exponent > MAX_DIGITS) throw new NumberRangeError('number has too many digits');
  if (exponent > 400) return 10n ** BigInt(exponent);
  for (let at = POWERS.length; at <= exponent; at++) POWERS.push((POWERS[at - 1] ?? 1n) * 10n);
  return POWERS[exponent] ?? 1n;
}

function digitCount(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

/** Returns the unique representation of `coefficient * 10^exponent`. */
export function makeNumber(coefficient: bigint, exponent: number): Numeric {
  if (coefficient === 0n) return 0;
  let text = coefficient.toString();
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  const stripped = text.length - end;
  if (stripped > 0) {
    text = text.slice(0, end);
    exponent += stripped;
  }
  const digits = text.charCodeAt(0) === 45 ? text.length - 1 : text.length;
  const magnitude = digits + exponent;
  if (digits > MAX_DIGITS || Math.abs(magnitude) > MAX_EXPONENT) {
    throw new NumberRangeError('number has too many digits');
  }
  if (exponent >= 0 && magnitude <= 16) {
    const integer = Number(text) * 10 ** exponent;
    if (Number.isSafeInteger(integer)) return integer;
  }
  if (exponent < 0 && digits <= 15 && magnitude > -290) return Number(`${text}e${exponent}`);
  return new Decimal(BigInt(text), exponent);
}

/** Parses the text of a JSON number. The caller must reject leading zeros and a leading plus. */
export function parseNumber(text: string): Numeric | undefined {
  if (text.length < 16 && /^-?\d+$/.test(text)) return Number(text) + 0;
  const match = NUMBER_TEXT.exec(text);
  if (match === null) return undefined;
  const fraction = match[3] ?? '';
  const exponent = match[4] === undefined ? 0 : Number(match[4]);
  const digits = (match[2] ?? '') + fraction;
  if (digits.length > MAX_DIGITS) throw new NumberRangeError('number has too many digits');
  const coefficient = BigInt(digits);
  const value = makeNumber(match[1] === '-' ? -coefficient : coefficient, exponent - fraction.length);
  const isWritten = match[4] !== undefined && typeof value !== 'number';
  return isWritten ? new Decimal(value.coefficient, value.exponent, text) : value;
}

export function fromDouble(value: number): Numeric {
  if (Number.isSafeInteger(value)) return value + 0;
  const number = parseNumber(String(value)) ?? 0;
  return typeof number === 'number' ? number : new Decimal(number.coefficient, number.exponent);
}

export function fromBigInt(value: bigint): Numeric {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  return makeNumber(value, 0);
}

export function toDecimal(value: Numeric): Decimal {
  if (typeof value !== 'number') return value;
  if (Number.isSafeInteger(value)) return new Decimal(BigInt(value), 0);
  const match = NUMBER_TEXT.exec(String(value));
  if (match === null) return new Decimal(0n, 0);
  const fraction = match[3] ?? '';
  const coefficient = BigInt((match[2] ?? '') + fraction);
  return new Decimal(match[1] === '-' ? -coefficient : coefficient, Number(match[4] ?? 0) - fraction.length);
}

export function isInteger(value: Numeric): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  return value.exponent >= 0;
}

/** Returns the value as a bigint; undefined if it is not an integer. */
export function toBigInt(value: Numeric): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  const { coefficient, exponent } = toDecimal(value);
  if (exponent >= 0) return coefficient * pow10(exponent);
  const divisor = -exponent > MAX_DIGITS ? undefined : pow10(-exponent);
  if (divisor === undefined || coefficient % divisor !== 0n) return undefined;
  return coefficient / divisor;
}

/** Returns the nearest double. */
export function toDouble(value: Numeric): number {
  return typeof value === 'number' ? value : Number(`${value.coefficient}e${value.exponent}`);
}

export function compareNumeric(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  const x = toDecimal(a);
  const y = toDecimal(b);
  const signX = x.coefficient < 0n ? -1 : x.coefficient > 0n ? 1 : 0;
  const signY = y.coefficient < 0n ? -1 : y.coefficient > 0n ? 1 : 0;
  if (signX !== signY || signX === 0) return signX < signY ? -1 : signX > signY ? 1 : 0;
  const magnitudeX = digitCount(x.coefficient) + x.exponent;
  const magnitudeY = digitCount(y.coefficient) + y.exponent;
  if (magnitudeX !== magnitudeY) return magnitudeX < magnitudeY ? -signX : signX;
  const [left, right] = align(x, y);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function align(x: Decimal, y: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(x.exponent, y.exponent);
  return [x.coefficient * pow10(x.exponent - exponent), y.coefficient * pow10(y.exponent - exponent), exponent];
}

/** Maximum number of zeros that are written at the end of a number; with more, it is written with an exponent. */
export const MAX_ZEROS = 400;

/**
 * Returns the text from which the number was read if that text has an exponent; otherwise decimal text, with an
 * exponent only if it would end with more than `MAX_ZEROS` zeros.
 */
export function numberText(value: Numeric): string {
  if (typeof value !== 'number' && value.written !== undefined) return value.written;
  const { coefficient, exponent } = toDecimal(value);
  if (exponent === 0) return coefficient.toString();
  const negative = coefficient < 0n;
  const digits = (negative ? -coefficient : coefficient).toString();
  const sign = negative ? '-' : '';
  if (exponent > 0) {
    return exponent <= MAX_ZEROS ? sign + digits + '0'.repeat(exponent) : `${sign}${scientific(digits, exponent)}`;
  }
  const point = digits.length + exponent;
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point > -6) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${scientific(digits, exponent)}`;
}

function scientific(digits: string, exponent: number): string {
  const power = exponent + digits.length - 1;
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const magnitude = Math.abs(power);
  return `${digits[0] ?? '0'}${fraction}e${power < 0 ? '-' : '+'}${magnitude < 10 ? '0' : ''}${magnitude}`;
}
