import type { Run } from '../evaluate/run.js';
import { compare, equal } from '../values/compare.js';
import { isInteger, toBigInt } from '../values/decimal.js';
import { isArray, isNumeric, lookup, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { sprintf } from './sprintf.js';
import { encodeQuery } from './query-text.js';
import { fault } from './template-parser.js';

/** A value in a template; undefined if a member is missing. */
export type Datum = Value | undefined;

export function isTruthy(value: Datum): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return false;
  if (isArray(value)) return value.length > 0;
  return !((value instanceof RegoObject || value instanceof RegoSet) && value.size === 0);
}

type TemplateFunction = (args: readonly Datum[], run: Run, print: (value: Datum) => string) => Datum;

function given(args: readonly Datum[], at: number): Datum {
  if (at >= args.length) throw fault('wrong number of args');
  return args[at];
}

function ordered(test: (order: number) => boolean): TemplateFunction {
  return (args) => {
    const [a, b] = [given(args, 0), given(args, 1)];
    const comparable = (isNumeric(a) && isNumeric(b)) || (typeof a === 'string' && typeof b === 'string');
    if (!comparable || a === undefined || b === undefined) throw fault('incompatible types for comparison');
    return test(compare(a, b));
  };
}

function isEqual(a: Datum, b: Datum): boolean {
  if (isArray(a) || a instanceof RegoObject || a instanceof RegoSet) throw fault('non-comparable type');
  return a === undefined || b === undefined ? a === b : equal(a, b);
}

function length(value: Datum): Value {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (isArray(value)) return value.length;
  if (value instanceof RegoObject || value instanceof RegoSet) return value.size;
  throw fault('len of a value that has none');
}

function member(container: Datum, key: Datum): Datum {
  if (container instanceof RegoObject) return key === undefined ? undefined : lookup(container, key);
  const items = container instanceof RegoSet ? container.items() : container;
  if (typeof items !== 'string' && !isArray(items)) throw fault('cannot index the value');
  const at = isNumeric(key) && isInteger(key) ? toBigInt(key) : undefined;
  if (at === undefined) throw fault('cannot index with a value that is no integer');
  if (at < 0n || at >= BigInt(items.length)) throw fault(`index out of range: ${at}`);
  return typeof items === 'string' ? Buffer.from(items)[Number(at)] : items[Number(at)];
}

/** Returns the first argument for which `passes` returns true, otherwise the last one. */
function chosen(args: readonly Datum[], passes: (arg: Datum) => boolean): Datum {
  const at = args.findIndex(passes);
  return given(args, at < 0 ? args.length - 1 : at);
}

/** Joins printed operands. Like Go, adds a space between two operands if neither is a text. */
function printed(args: readonly Datum[], print: (value: Datum) => string): string {
  return args.reduce<string>((text, arg, at) => {
    const before = args[at - 1];
    return `${text}${at > 0 && typeof arg !== 'string' && typeof before !== 'string' ? ' ' : ''}${print(arg)}`;
  }, '');
}

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

function escapeScript(text: string): string {
  return text.replace(/[\\'"<>&=\u0000-\u001f]/g, (char) =>
    /[\\'"]/.test(char) ? `\\${char}` : `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

function escaping(escape: (text: string) => string): TemplateFunction {
  return (args, _, print) => escape(printed(args, print));
}

/** Returns a part of a text (by bytes) or of an array. */
function slice([container, ...bounds]: readonly Datum[]): Datum {
  const items = typeof container === 'string' ? Buffer.from(container) : container;
  if (!Buffer.isBuffer(items) && !isArray(items)) throw fault('cannot slice the value');
  const [from = 0, to = items.length] = bounds.map((bound) => {
    const at = isNumeric(bound) && isInteger(bound) ? toBigInt(bound) : undefined;
    if (at === undefined || at < 0n || at > BigInt(items.length)) throw fault('index out of range');
    return Number(at);
  });
  if (from > to) throw fault(`invalid slice index: ${from} > ${to}`);
  return Buffer.isBuffer(items) ? items.subarray(from, to).toString() : items.slice(from, to);
}

/** The functions of Go's templates. */
export const TEMPLATE_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  and: (args) => chosen(args, (arg) => !isTruthy(arg)),
  or: (args) => chosen(args, isTruthy),
  not: (args) => !isTruthy(given(args, 0)),
  eq: (args) => {
    const first = given(args, 0);
    given(args, 1);
    return args.slice(1).some((arg) => isEqual(first, arg));
  },
  ne: (args) => !isEqual(given(args, 0), given(args, 1)),
  lt: ordered((order) => order < 0),
  le: ordered((order) => order <= 0),
  gt: ordered((order) => order > 0),
  ge: ordered((order) => order >= 0),
  len: (args) => length(given(args, 0)),
  index: (args) => args.slice(1).reduce(member, given(args, 0)),
  slice,
  html: escaping((text) => text.replace(/[\0"'&<>]/g, (char) => HTML[char] ?? char)),
  js: escaping(escapeScript),
  urlquery: escaping(encodeQuery),
  print: (args, _, print) => printed(args, print),
  println: (args, _, print) => `${args.map(print).join(' ')}\n`,
  printf: ([format, ...args], run) => {
    if (typeof format !== 'string') throw fault('printf needs a format');
    return sprintf(
      format,
      args.map((arg) => arg ?? null),
      run,
    );
  },
};
