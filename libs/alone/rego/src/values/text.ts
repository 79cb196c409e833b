import { RegoBudgetError } from '../errors.js';
import { compareStrings } from './compare.js';
import { Decimal, numberText } from './decimal.js';
import { isArray, RegoObject } from './value.js';
import type { Value } from './value.js';

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Returns a JSON string literal. `html`: also escapes the characters that Go's encoder escapes by default. */
function quote(text: string, html = false): string {
  const special = html ? /["\\\u0000-\u001f\u2028\u2029<>&\u007f]/g : /["\\\u0000-\u001f]/g;
  const escape = (char: string): string => {
    if (char === '\u007f') return char;
    return ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  };
  return `"${text.replace(special, escape)}"`;
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
const PRINTABLE_ASCII = /^[ !#-[\]-~]*$/;
/**
 * The characters that Go escapes: everything except letters, marks, numbers, punctuation, symbols and the plain space.
 */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

/** Returns a Go string literal. `ascii`: escapes all characters outside ASCII. */
export function goQuote(text: string, ascii = false): string {
  if (PRINTABLE_ASCII.test(text)) return `"${text}"`;
  let result = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const escape = GO_ESCAPES[char];
    if (escape !== undefined) result += escape;
    else if (code < 0x20 || code === 0x7f) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x7f || (!ascii && !UNPRINTABLE.test(char))) result += char;
    else
      result += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  }
  return `${result}"`;
}

/** Maximum nesting depth of collections that are written, because each level needs stack. */
const MOST_NESTING = 512;

function oneDown(level: number): number {
  if (level >= MOST_NESTING) throw new RegoBudgetError('depth', MOST_NESTING);
  return level + 1;
}

/** Returns the value as a term of the language, as it appears inside strings and messages. */
export function valueText(value: Value, level = 0): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' || value instanceof Decimal) return numberText(value);
  const next = oneDown(level);
  const text = (item: Value): string => valueText(item, next);
  if (isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (value instanceof RegoObject) {
    const members = value.entries().map(([key, member]) => `${text(key)}: ${text(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (value.size === 0) return 'set()';
  return `{${value.items().map(text).join(', ')}}`;
}

/** Returns exact JSON text: sets as arrays, keys that are not strings as their text, members in order. */
export function jsonText(value: Value, html = false, level = 0): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quote(value, html);
  if (typeof value === 'number' || value instanceof Decimal) return numberText(value);
  const next = oneDown(level);
  const text = (item: Value): string => jsonText(item, html, next);
  if (isArray(value)) return `[${value.map(text).join(',')}]`;
  if (value instanceof RegoObject) {
    const members = namedMembers(value, next).map(([name, member]) => `${quote(name, html)}:${text(member)}`);
    return `{${members.join(',')}}`;
  }
  return `[${value.items().map(text).join(',')}]`;
}

/** Returns the members with the texts of their keys, in the order of these texts. */
function namedMembers(object: RegoObject, level: number): (readonly [string, Value])[] {
  const members = object
    .entries()
    .map(([key, member]) => [typeof key === 'string' ? key : jsonText(key, false, level), member] as const);
  const inOrder = object.keys().every((key) => typeof key === 'string');
  return inOrder ? members : members.sort(([a], [b]) => compareStrings(a, b));
}

/** Returns JSON on several lines, indented like the output of Go's encoder. */
export function indentedJson(value: Value, prefix: string, indent: string, level = 0): string {
  const open = `\n${prefix}${indent.repeat(level + 1)}`;
  const close = `\n${prefix}${indent.repeat(level)}`;
  if (value === null || typeof value !== 'object' || value instanceof Decimal) return jsonText(value, true);
  const next = oneDown(level);
  if (value instanceof RegoObject) {
    if (value.size === 0) return '{}';
    const member = ([name, item]: readonly [string, Value]): string =>
      `${open}${quote(name, true)}: ${indentedJson(item, prefix, indent, next)}`;
    return `{${namedMembers(value, next).map(member).join(',')}${close}}`;
  }
  const items = isArray(value) ? value : value.items();
  if (items.length === 0) return '[]';
  return `[${items.map((item) => open + indentedJson(item, prefix, indent, next)).join(',')}${close}]`;
}
