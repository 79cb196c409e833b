import type { Run } from '../evaluate/run.js';
import { Decimal, isInteger, MAX_ZEROS, numberText, toBigInt, toDouble } from '../values/decimal.js';
import { goQuote, valueText } from '../values/text.js';
import { isNumeric } from '../values/value.js';
import type { Value } from '../values/value.js';
import { formatFloat } from './floats.js';
import { BuiltinError } from './types.js';

/** Wider fields and longer precisions than this are an error. */
const MAX_WIDTH = 10_000;

interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width: number | undefined;
  precision: number | undefined;
}

type Operand = bigint | number | string;

/**
 * Converts numbers to Go's int, big integer or float, and values other than strings to their text. A number whose text
 * has an exponent becomes a float, or its text if no double represents it.
 */
function toOperand(value: Value): Operand {
  if (typeof value === 'string') return value;
  if (!isNumeric(value)) return valueText(value);
  const hasExponent = value instanceof Decimal && (value.written !== undefined || value.exponent > MAX_ZEROS);
  if (isInteger(value) && !hasExponent) return toBigInt(value) ?? 0n;
  const double = toDouble(value);
  return Number.isFinite(double) ? double : numberText(value);
}

/** Returns whether Go represents the value as an int. All other integers are a `*big.Int`, which formats itself. */
function isMachineInteger(value: bigint): boolean {
  return value >= -(1n << 63n) && value < 1n << 63n;
}

function typeOf(operand: Operand): string {
  if (typeof operand === 'string') return 'string';
  if (typeof operand === 'number') return 'float64';
  return isMachineInteger(operand) ? 'int' : '*big.Int';
}

/** Implements Go's `fmt.Sprintf`. */
export function sprintf(format: string, values: readonly Value[], run: Run): string {
  const output = new Printer(format, values.map(toOperand), run).print();
  run.meter.allocate(output.length * 2);
  return output;
}

class Printer {
  private at = 0;
  private next = 0;
  private reordered = false;
  private output = '';

  constructor(
    private readonly format: string,
    private readonly operands: readonly Operand[],
    private readonly run: Run,
  ) {}

  print(): string {
    const { format } = this;
    while (this.at < format.length) {
      const percent = format.indexOf('%', this.at);
      if (percent < 0) break;
      this.output += format.slice(this.at, percent);
      this.at = percent + 1;
      this.verb();
      this.run.meter.work(1);
      if (this.output.length > 1 << 20) this.run.meter.allocate(this.output.length);
    }
    this.output += format.slice(this.at);
    if (!this.reordered && this.next < this.operands.length) {
      const extra = this.operands.slice(this.next).map((operand) => `${typeOf(operand)}=${plain(operand)}`);
      this.output += `%!(EXTRA ${extra.join(', ')})`;
    }
    return this.output;
  }

  private verb(): void {
    const flags = this.flags();
    this.index();
    flags.width = this.number(flags, true);
    if (this.format[this.at] === '.') {
      this.at++;
      this.index();
      flags.precision = this.number(flags, false) ?? 0;
    }
    this.index();
    const verb = String.fromCodePoint(this.format.codePointAt(this.at) ?? 0);
    if (this.at >= this.format.length) {
      this.output += '%!(NOVERB)';
      return;
    }
    this.at += verb.length;
    if (verb === '%') {
      this.output += '%';
      return;
    }
    if (this.badIndex) {
      this.badIndex = false;
      this.output += `%!${verb}(BADINDEX)`;
      return;
    }
    const operand = this.operands[this.next];
    if (operand === undefined) {
      this.output += `%!${verb}(${this.next < 0 ? 'BADINDEX' : 'MISSING'})`;
      this.next++;
      return;
    }
    this.next++;
    this.output += render(verb, operand, flags);
  }

  private badIndex = false;

  private flags(): Flags {
    const flags: Flags = {
      plus: false,
      minus: false,
      sharp: false,
      space: false,
      zero: false,
      width: undefined,
      precision: undefined,
    };
    for (; ; this.at++) {
      const char = this.format[this.at];
      if (char === '+') flags.plus = true;
      else if (char === '-') flags.minus = true;
      else if (char === '#') flags.sharp = true;
      else if (char === ' ') flags.space = true;
      else if (char === '0') flags.zero = true;
      else return flags;
    }
  }

  /** Reads `[n]`, which selects the operand. */
  private index(): void {
    if (this.format[this.at] !== '[') return;
    const match = /^\[(\d{1,6})\]/.exec(this.format.slice(this.at, this.at + 9));
    this.reordered = true;
    if (match === null) {
      const close = this.format.indexOf(']', this.at);
      this.at = close < 0 ? this.at + 1 : close + 1;
      this.badIndex = true;
      return;
    }
    this.at += match[0].length;
    this.next = Number(match[1]) - 1;
    if (this.next < 0 || this.next >= this.operands.length) this.badIndex = true;
  }

  private number(flags: Flags, isWidth: boolean): number | undefined {
    let value: number | undefined;
    if (this.format[this.at] === '*') {
      this.at++;
      const operand = this.operands[this.next++];
      if (typeof operand !== 'bigint') {
        this.output += isWidth ? '%!(BADWIDTH)' : '%!(BADPREC)';
        return undefined;
      }
      value = Number(operand);
      if (isWidth && value < 0) {
        flags.minus = true;
        value = -value;
      }
    } else {
      const match = /^\d+/.exec(this.format.slice(this.at, this.at + 12));
      if (match === null) return undefined;
      this.at += match[0].length;
      value = Number(match[0]);
    }
    if (value > MAX_WIDTH) throw new BuiltinError('field is too wide');
    return value;
  }
}

function plain(operand: Operand): string {
  return typeof operand === 'number' ? formatFloat(operand, 'g', undefined) : String(operand);
}

function bad(verb: string, operand: Operand): string {
  return `%!${verb}(${typeOf(operand)}=${plain(operand)})`;
}

function render(verb: string, operand: Operand, flags: Flags): string {
  if (verb === 'T') return pad(typeOf(operand), flags);
  if (typeof operand === 'bigint') return renderInteger(verb, operand, flags);
  return typeof operand === 'number' ? renderFloat(verb, operand, flags) : renderString(verb, operand, flags);
}

function pad(text: string, flags: Flags, zero = false): string {
  const missing = (flags.width ?? 0) - Array.from(text).length;
  if (missing <= 0) return text;
  if (flags.minus) return text + ' '.repeat(missing);
  if (!zero) return ' '.repeat(missing) + text;
  const sign = /^[+\- ]/.test(text) ? (text[0] ?? '') : '';
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

const BASES: Readonly<Record<string, readonly [number, string]>> = {
  d: [10, ''],
  v: [10, ''],
  b: [2, '0b'],
  o: [8, '0'],
  O: [8, ''],
  x: [16, '0x'],
  X: [16, '0X'],
};

function renderInteger(verb: string, value: bigint, flags: Flags): string {
  const isSmall = isMachineInteger(value);
  if (isSmall && (verb === 'c' || verb === 'q' || verb === 'U')) return renderRune(verb, value, flags);
  const base = BASES[!isSmall && verb === 's' ? 'd' : verb];
  if (base === undefined) return isSmall ? bad(verb, value) : `%!${verb}(big.Int=${value})`;
  let digits = (value < 0n ? -value : value).toString(base[0]);
  if (verb === 'X') digits = digits.toUpperCase();
  if (flags.precision !== undefined)
    digits = flags.precision === 0 && value === 0n ? '' : digits.padStart(flags.precision, '0');
  const sign = value < 0n ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  const prefix = verb === 'O' ? '0o' : flags.sharp ? base[1] : '';
  if (flags.zero && !flags.minus && flags.precision === undefined) {
    // Padding zeros are between the prefix and the digits. The prefix counts toward the width only for a big integer.
    const width = (flags.width ?? 0) - sign.length - (isSmall ? 0 : prefix.length);
    digits = digits.padStart(width, '0');
  }
  return pad(sign + prefix + digits, flags);
}

function renderRune(verb: string, value: bigint, flags: Flags): string {
  const valid = value >= 0n && value <= 0x10ffffn;
  const char = valid ? String.fromCodePoint(Number(value)) : '\ufffd';
  if (verb === 'c') return pad(char, flags);
  if (verb === 'q')
    return pad(`'${char === "'" || char === '\\' ? `\\${char}` : char === '\n' ? '\\n' : char}'`, flags);
  const code = `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;
  return pad(flags.sharp ? `${code} '${char}'` : code, flags);
}

function renderFloat(verb: string, value: number, flags: Flags): string {
  if (!/^[vgGfFeExXb]$/.test(verb)) return bad(verb, value);
  const kind = { v: 'g', F: 'f', X: 'x' }[verb] ?? verb;
  const precision = flags.precision ?? (/[fe]/i.test(kind) ? 6 : undefined);
  const plainText = formatFloat(value, kind, precision);
  const text = verb === 'X' ? plainText.toUpperCase() : plainText;
  const sign = text.startsWith('-') ? '' : flags.plus ? '+' : flags.space ? ' ' : '';
  return pad(sign + text, flags, flags.zero);
}

function renderString(verb: string, value: string, flags: Flags): string {
  const cut = flags.precision === undefined ? value : Array.from(value).slice(0, flags.precision).join('');
  switch (verb) {
    case 'v':
    case 's':
      return pad(verb === 'v' && flags.sharp ? goQuote(cut) : cut, flags, flags.zero);
    case 'q':
      return pad(flags.sharp && !cut.includes('`') ? `\`${cut}\`` : goQuote(cut, flags.plus), flags, flags.zero);
    case 'x':
    case 'X': {
      const pairs = [...Buffer.from(cut, 'utf8')].map((byte) => byte.toString(16).padStart(2, '0'));
      const prefix = flags.sharp ? '0x' : '';
      const hex = flags.space ? pairs.map((pair) => prefix + pair).join(' ') : prefix + pairs.join('');
      return pad(verb === 'X' ? hex.toUpperCase() : hex, flags, flags.zero);
    }
    default:
      return bad(verb, value);
  }
}
