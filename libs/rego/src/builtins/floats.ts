/** Text of a double as Go formats it: `f`, `e`, `E`, `g` or `G`; no precision means the shortest that reads back. */
export function formatFloat(value: number, kind: string, precision: number | undefined): string {
  switch (kind) {
    case 'f':
      return precision === undefined ? expand(value) : value.toFixed(Math.min(precision, 100));
    case 'e':
    case 'E': {
      const text = twoDigitExponent(
        precision === undefined ? value.toExponential() : value.toExponential(Math.min(precision, 100)),
      );
      return kind === 'E' ? text.toUpperCase() : text;
    }
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

/** The exponent form is used below 1e-4 and from the precision on, which is 21 digits where it is the shortest. */
function general(value: number, precision: number | undefined): string {
  if (value === 0) return '0';
  const wanted = precision === undefined ? undefined : Math.max(1, precision);
  const scientific = wanted === undefined ? value.toExponential() : value.toExponential(Math.min(wanted - 1, 100));
  const [mantissa = '', exponentText = '0'] = scientific.split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '') || '0';
  let limit = wanted ?? 21;
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
