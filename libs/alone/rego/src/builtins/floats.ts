/**
 * Formats a double like Go. `kind`: `f`, `e`, `E`, `g`, `G`, `b` (mantissa and power of two) or `x` (hexadecimal).
 * Without a precision, returns the shortest text from which the same number is read.
 */
export function formatFloat(value: number, kind: string, precision: number | undefined): string {
  switch (kind) {
    case 'f':
      return precision === undefined ? expand(value) : fixed(value, precision);
    case 'e':
    case 'E': {
      const text = twoDigitExponent(precision === undefined ? value.toExponential() : exponential(value, precision));
      return kind === 'E' ? text.toUpperCase() : text;
    }
    case 'b': {
      const { mantissa, exponent } = binary(Math.abs(value));
      return `${value < 0 ? '-' : ''}${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
    }
    case 'x':
      return hexadecimal(value);
    default: {
      const text = general(value, precision);
      return kind === 'G' ? text.toUpperCase() : text;
    }
  }
}

function twoDigitExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function expand(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return BigInt(Math.trunc(value)).toString() === '0'
    ? value.toFixed(100).replace(/0+$/, '')
    : BigInt(value).toString();
}

/**
 * Formats with an exponent if the exponent is below -4, or not below the precision (6 without a precision).
 */
function general(value: number, precision: number | undefined): string {
  if (value === 0) return '0';
  const wanted = precision === undefined ? undefined : Math.max(1, precision);
  const scientific = wanted === undefined ? value.toExponential() : exponential(value, wanted - 1);
  const [mantissa = '', exponentText = '0'] = scientific.split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '') || '0';
  let limit = wanted ?? 6;
  if (wanted !== undefined && limit > digits.length && digits.length >= exponent + 1) limit = digits.length;
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= limit) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return twoDigitExponent(`${sign}${digits[0] ?? '0'}${fraction}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`);
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = digits.slice(exponent + 1);
  return sign + whole + (rest === '' ? '' : `.${rest}`);
}

/** Returns a positive double as `mantissa * 2^exponent`. */
function binary(value: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const stored = Number((raw >> 52n) & 0x7ffn);
  const mantissa = (raw & 0xfffffffffffffn) | (stored === 0 ? 0n : 1n << 52n);
  return { mantissa, exponent: Math.max(stored, 1) - 1075 };
}

/** Formats a double with one digit before the point and a power of two. */
function hexadecimal(value: number): string {
  const { mantissa, exponent } = binary(Math.abs(value));
  const power = mantissa.toString(2).length - 1;
  const digits = (mantissa << BigInt(52 - power)).toString(16).padStart(14, '0').slice(1).replace(/0+$/, '');
  const size = mantissa === 0n ? 0 : exponent + power;
  const sign = value < 0 ? '-' : '';
  const fraction = digits === '' ? '' : `.${digits}`;
  return `${sign}0x${mantissa === 0n ? 0 : 1}${fraction}p${size < 0 ? '-' : '+'}${String(Math.abs(size)).padStart(2, '0')}`;
}

/** Returns `value * 10^decimals`, computed exactly and rounded to an integer (ties to even). */
function scaled(value: number, decimals: number): bigint {
  const { mantissa, exponent } = binary(value);
  let top = mantissa * (decimals > 0 ? 10n ** BigInt(decimals) : 1n);
  let bottom = decimals < 0 ? 10n ** BigInt(-decimals) : 1n;
  if (exponent > 0) top <<= BigInt(exponent);
  else bottom <<= BigInt(-exponent);
  const quotient = top / bottom;
  const twice = (top % bottom) * 2n;
  const up = twice > bottom || (twice === bottom && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

function fixed(value: number, precision: number): string {
  const digits = scaled(Math.abs(value), precision)
    .toString()
    .padStart(precision + 1, '0');
  const sign = value < 0 ? '-' : '';
  return precision === 0 ? sign + digits : `${sign}${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

function exponential(value: number, precision: number): string {
  if (value === 0) return `0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}e+0`;
  let exponent = Number(value.toExponential().split('e')[1]);
  let digits = scaled(Math.abs(value), precision - exponent).toString();
  if (digits.length > precision + 1) {
    exponent++;
    digits = digits.slice(0, -1);
  }
  const fraction = precision > 0 ? `.${digits.slice(1)}` : '';
  return `${value < 0 ? '-' : ''}${digits[0] ?? '0'}${fraction}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}
