import { randomUUID } from 'node:crypto';

/**
 * JSON without loss of digits. `JSON.parse` rounds each number to a double, which changes 9007199254740993 and
 * 0.12345678901234567890. `parseExactJson` returns an `ExactNumber` for such a number, and `JSON.stringify` writes it as
 * it was sent. All other numbers stay plain: a number is special only if its value would change, so 1.0 and 1e3 become 1
 * and 1000, and -0 becomes 0 when it is written.
 *
 * The means of the language for this, `JSON.rawJSON` and `context.source` of a reviver, exist from Node 22 on and make
 * each value of each text cost a call. Libraries that parse without loss write every value of every text in JavaScript.
 * Here a text without long numbers, which is almost every one, costs one scan with a regular expression.
 */

/**
 * May match a number that a double does not hold: one with 16 digits or more, or with an exponent of three digits or more.
 * Any decimal of 15 digits is unchanged by the conversion to a double and back, within the range of doubles. The
 * characters before it exclude ids and times in strings, which nearly every body contains.
 */
const MAY_BE_INEXACT = /(?:^|[[:,\s])-?(?:\d[\d.]{15}|\d[\d.]{0,14}[eE][+-]?\d{3})/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const SHORT = 15;
/** Of a number that is stored, in characters. */
const MAX_LENGTH = 10_000;

/** A number of a JSON text that no double represents. Immutable; written by `JSON.stringify` as it was sent. */
export class ExactNumber {
  constructor(readonly text: string) {}

  /** The number as it was sent, for templates. */
  toString(): string {
    return this.text;
  }

  /** The nearest double: infinite if the number exceeds the range of doubles. */
  valueOf(): number {
    return Number(this.text);
  }

  /**
   * Why the platform does not store the number. PostgreSQL rejects numbers with too many digits when it converts JSON, and
   * the range of doubles bounds the digits that an exponent stands for.
   */
  get fault(): string | undefined {
    const nearest = this.valueOf();
    if (!Number.isFinite(nearest) || nearest === 0) return 'Number is out of range';
    return this.text.length > MAX_LENGTH ? `Number should have at most ${MAX_LENGTH} characters` : undefined;
  }

  /** The same text for each spelling of the same number: the digits without zeros at their ends, and the exponent. */
  get canonical(): string {
    return canonicalOf(this.text) ?? this.text;
  }

  /** Called by `JSON.stringify`. Other serializers, such as that of the log, write the nearest double. */
  toJSON(): number | string {
    if (!isStringifying) return this.valueOf();
    hasMarks = true;
    return MARK + this.text;
  }
}

/** Returns the nearest double of an exact number, any other value unchanged: for values that are calculated with. */
export function nearestDouble(value: unknown): unknown {
  return value instanceof ExactNumber ? value.valueOf() : value;
}

/**
 * Like `JSON.parse`, with an exact number in place of each number that would change. `exactNumber` makes it from its text.
 * Throws `SyntaxError`.
 */
export function parseExactJson(
  text: string,
  exactNumber: (text: string) => unknown = (number) => new ExactNumber(number),
): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_INEXACT.test(text)) return value;
  const marked = mapNumbers(text, (number) => (isDouble(number) ? number : `"${MARK}${number}"`));
  return marked === text ? value : withoutMarks(JSON.parse(marked), exactNumber);
}

/** Replaces the numbers of a valid JSON text. Strings are skipped without a regular expression, whose stack they could exceed. */
export function mapNumbers(json: string, change: (number: string) => string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < json.length) {
    const open = json.indexOf('"', at);
    parts.push(json.slice(at, open < 0 ? json.length : open).replace(NUMBER, change));
    if (open < 0) break;
    at = endOfString(json, open);
    parts.push(json.slice(open, at));
  }
  return parts.join('');
}

/** Returns the position after the string that begins at `open`. */
function endOfString(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Returns whether `JSON.stringify(JSON.parse(text))` has the same value as the text of a JSON number. */
function isDouble(text: string): boolean {
  if (text.length <= SHORT && !/e/i.test(text)) return true;
  const written = String(Number(text));
  return written === text || canonicalOf(written) === canonicalOf(text);
}

/** Returns undefined for a text that is not a number, such as `Infinity`. */
function canonicalOf(text: string): string | undefined {
  const parts = PARTS.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let from = 0;
  let end = digits.length;
  // Not by a regular expression: for the zeros at the end, it would take time that grows with the square of the length.
  while (digits[from] === '0') from += 1;
  if (from === end) return '0';
  while (digits[end - 1] === '0') end -= 1;
  return `${sign}${digits.slice(from, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Replaces marked strings by exact numbers, in place. Is not recursive, so no nesting exhausts the stack. */
function withoutMarks(root: unknown, exactNumber: (text: string) => unknown): unknown {
  const holder: Record<string, unknown> = { root };
  const pending: Record<string, unknown>[] = [holder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const key of Object.keys(next)) {
      const value = next[key];
      if (typeof value === 'string' && value.startsWith(MARK)) next[key] = exactNumber(value.slice(MARK.length));
      else if (typeof value === 'object' && value !== null) pending.push(value as Record<string, unknown>);
    }
  }
  return holder['root'];
}

/** Begins a string that stands for a number. Never leaves this file, so no sender can guess it. */
const MARK = `${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

let isStringifying = false;
let hasMarks = false;

/**
 * Makes `JSON.stringify` write exact numbers, as the raw JSON of Node 22 does. The function of the process is replaced, and
 * not only that of our own calls, because TypeORM, the driver of PostgreSQL and BullMQ serialize values with it too: a
 * number would be rounded wherever a caller forgot to call another function. Values without exact numbers cost nothing
 * more.
 */
function writeExactNumbers(native: typeof JSON.stringify): typeof JSON.stringify {
  return (...call: readonly unknown[]): string => {
    // A `toJSON` can call `JSON.stringify` again.
    const outer = { isStringifying, hasMarks };
    isStringifying = true;
    hasMarks = false;
    try {
      const text = native(...(call as Parameters<typeof JSON.stringify>));
      return hasMarks ? text.replace(MARKED, '$1') : text;
    } finally {
      ({ isStringifying, hasMarks } = outer);
    }
  };
}

JSON.stringify = writeExactNumbers(JSON.stringify);
