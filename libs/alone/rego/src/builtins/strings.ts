import type { Run } from '../evaluate/run.js';
import { toIntegral } from '../values/arithmetic.js';
import { toBigInt } from '../values/decimal.js';

import { isArray, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { codePoints } from './aggregates.js';
import {
  arrayOperand,
  intOperand,
  numberOperand,
  objectOperand,
  operandError,
  stringItems,
  stringOperand,
  typeError,
} from './operands.js';
import { sprintf } from './sprintf.js';
import { renderTemplate } from './template.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';

/** Charges for a text before it is created. */
export function allocateText(run: Run, length: number): void {
  run.meter.allocate(length * 2);
  run.meter.work(length / 32);
}

const ASCII = /^[\u0000-\u007f]*$/;
/**
 * Maps a text like Go: character by character, and without changing a character whose counterpart has several
 * characters.
 */
function mapped(text: string, map: (text: string) => string): string {
  if (ASCII.test(text)) return map(text);
  let result = '';
  for (const char of text) {
    const other = map(char);
    result += other.length === ((other.codePointAt(0) ?? 0) > 0xffff ? 2 : 1) ? other : char;
  }
  return result;
}

function oneString(operate: (text: string) => Value): Builtin {
  return {
    arity: 1,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      allocateText(run, text.length);
      return operate(text);
    },
  };
}

function twoStrings(operate: (text: string, other: string, run: Run) => Value): Builtin {
  return {
    arity: 2,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      const other = stringOperand(args, 2);
      allocateText(run, text.length);
      return operate(text, other, run);
    },
  };
}

function concat(args: readonly Value[], run: Run): Value {
  const separator = stringOperand(args, 1);
  const items = stringItems(args, 2);
  allocateText(
    run,
    items.reduce((length, item) => length + item.length + separator.length, 0),
  );
  return items.join(separator);
}

const FORMATS: Readonly<Record<number, number>> = { 2: 2, 8: 8, 10: 10, 16: 16 };

function formatInt(args: readonly Value[]): Value {
  const number = toIntegral(numberOperand(args, 1), 'trunc');
  const base = FORMATS[Number(toBigInt(numberOperand(args, 2)) ?? 0n)];
  if (base === undefined) throw typeError('operand 2 must be one of {2, 8, 10, 16}');
  return (toBigInt(number) ?? 0n).toString(base);
}

/** Returns positions in code points. Texts with characters above U+FFFF are therefore searched in parts. */
function positions(text: string, search: string, all: boolean): number[] {
  const found: number[] = [];
  let at = text.indexOf(search);
  let counted = 0;
  let index = 0;
  while (at >= 0) {
    index += codePoints(text.slice(counted, at));
    counted = at;
    found.push(index);
    if (!all) break;
    at = text.indexOf(search, at + 1);
  }
  return found;
}

function indexOf(text: string, search: string): Value {
  if (search === '') throw new BuiltinError('empty search character');
  return positions(text, search, false)[0] ?? -1;
}

function substring(args: readonly Value[], run: Run): Value {
  const text = stringOperand(args, 1);
  const start = intOperand(args, 2);
  const length = intOperand(args, 3);
  if (start < 0) throw new BuiltinError('negative offset');
  allocateText(run, text.length);
  const points = /[\ud800-\udfff]/.test(text) ? Array.from(text) : undefined;
  const size = points?.length ?? text.length;
  if (start >= size) return '';
  const end = length < 0 ? size : Math.min(size, start + length);
  return points === undefined ? text.slice(start, end) : points.slice(start, end).join('');
}

/** Go's notion of white space. */
const SPACE = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const LEADING_SPACE = new RegExp(`^[${SPACE}]+`);

function trimSpace(text: string): string {
  let end = text.length;
  while (end > 0 && LEADING_SPACE.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end).replace(LEADING_SPACE, '');
}

export function trimLeft(text: string, cutset: string): string {
  const cut = new Set(cutset);
  let start = 0;
  for (const char of text) {
    if (!cut.has(char)) break;
    start += char.length;
  }
  return text.slice(start);
}

export function trimRight(text: string, cutset: string): string {
  const cut = new Set(cutset);
  const chars = Array.from(text);
  let end = chars.length;
  while (end > 0 && cut.has(chars[end - 1] ?? '')) end--;
  return chars.slice(0, end).join('');
}

function replaceAll(text: string, from: string, to: string, run: Run): string {
  const pieces = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  allocateText(run, text.length + pieces.length * to.length);
  return pieces.join(to);
}

function replace(args: readonly Value[], run: Run): Value {
  return replaceAll(stringOperand(args, 1), stringOperand(args, 2), stringOperand(args, 3), run);
}

/**
 * Replaces in one pass over the text: at each position, the first matching pattern in the order of the keys is
 * replaced.
 */
function replaceMany(args: readonly Value[], run: Run): Value {
  const patterns = objectOperand(args, 1)
    .entries()
    .map(([from, to]) => {
      if (typeof from !== 'string') throw typeError('operand 1 non-string key found in pattern object');
      if (typeof to !== 'string') throw typeError('operand 1 non-string value found in pattern object');
      return [from, to] as const;
    });
  const text = stringOperand(args, 2);
  let result = '';
  let blocked = false;
  for (let at = 0; at <= text.length;) {
    run.meter.work(1 + patterns.length / 8);
    const fit = patterns.find(([from]) => text.startsWith(from, at) && !(from === '' && blocked));
    if (fit !== undefined) {
      result += fit[1];
      at += fit[0].length;
      blocked = fit[0] === '';
      allocateText(run, fit[1].length);
      if (fit[0] !== '') continue;
    }
    blocked = false;
    result += text[at] ?? '';
    at++;
  }
  allocateText(run, text.length);
  return result;
}

function split(text: string, separator: string, run: Run): Value {
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  run.meter.allocate(parts.length * 32);
  return parts;
}

function anyMatch(matches: (text: string, part: string) => boolean): Builtin {
  const strings = (args: readonly Value[], position: number): readonly string[] => {
    const value = args[position - 1] as Value;
    if (typeof value === 'string') return [value];
    if (isArray(value) || value instanceof RegoSet) return stringItems(args, position);
    throw operandError(position, 'one of {string, set, array}', value);
  };
  return {
    arity: 2,
    call: (args, run) => {
      const candidates = strings(args, 1);
      const affixes = strings(args, 2);
      run.meter.work(candidates.length * affixes.length);
      return candidates.some((text) => affixes.some((affix) => matches(text, affix)));
    },
  };
}

function countOf(text: string, search: string): number {
  return search === '' ? codePoints(text) + 1 : text.split(search).length - 1;
}

export const stringBuiltins: BuiltinTable = {
  concat: { arity: 2, call: concat },
  contains: twoStrings((text, search) => text.includes(search)),
  startswith: twoStrings((text, search) => text.startsWith(search)),
  endswith: twoStrings((text, search) => text.endsWith(search)),
  format_int: { arity: 2, call: formatInt },
  indexof: twoStrings(indexOf),
  indexof_n: twoStrings((text, search) => {
    if (search === '') throw new BuiltinError('empty search character');
    return positions(text, search, true);
  }),
  lower: oneString((text) => mapped(text, (part) => part.replaceAll('İ', 'i').toLowerCase())),
  upper: oneString((text) => mapped(text, (part) => part.toUpperCase())),
  replace: { arity: 3, call: replace },
  split: twoStrings(split),
  sprintf: { arity: 2, call: (args, run) => sprintf(stringOperand(args, 1), arrayOperand(args, 2), run) },
  'strings.any_prefix_match': anyMatch((text, part) => text.startsWith(part)),
  'strings.any_suffix_match': anyMatch((text, part) => text.endsWith(part)),
  'strings.count': twoStrings(countOf),
  'strings.replace_n': { arity: 2, call: replaceMany },
  'strings.reverse': oneString((text) => Array.from(text).reverse().join('')),
  'strings.render_template': {
    arity: 2,
    call: (args, run) => renderTemplate(stringOperand(args, 1), objectOperand(args, 2), run),
  },
  substring: { arity: 3, call: substring },
  trim: twoStrings((text, cutset) => trimRight(trimLeft(text, cutset), cutset)),
  trim_left: twoStrings(trimLeft),
  trim_right: twoStrings(trimRight),
  trim_prefix: twoStrings((text, prefix) =>
    prefix !== '' && text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trim_suffix: twoStrings((text, suffix) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  trim_space: oneString(trimSpace),
};
