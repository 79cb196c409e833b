import { Document, LineCounter, parseAllDocuments, Scalar, visit, YAMLError } from 'yaml';
import type { ScalarTag, Tags } from 'yaml';
import { toPlain, type Json } from './convert.js';
import type { Value } from './value.js';

export class YamlSyntaxError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

const TRUE = /^(?:[yY]|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:[nN]|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL)?$/;
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+|0[bB][01_]+|0|[1-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
/** Dates, and numbers with the base 60. They are texts here, but other readers may interpret them differently. */
const DOUBTFUL = /^\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?$|^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$|^<<$/;

function tag(name: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve };
}

function integerOf(text: string): bigint {
  const digits = text
    .replace(/_/g, '')
    .replace(/^[-+]/, '')
    .replace(/^0([0-7]+)$/, '0o$1');
  return (text.startsWith('-') ? -1n : 1n) * BigInt(digits);
}

/** Scalars as Go's reader of YAML 1.1 interprets them. */
const TAGS: Tags = [
  tag('null', NULL, () => null),
  tag('bool', TRUE, () => true),
  tag('bool', FALSE, () => false),
  tag('int', INTEGER, integerOf),
  tag('float', INFINITE, () => NaN),
  tag('float', FLOAT, (text) => Number(text.replace(/_/g, ''))),
];

const READING = {
  schema: 'failsafe',
  customTags: TAGS,
  maxAliasCount: 100,
  merge: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;
/**
 * Maximum nesting depth of collections. The reader and the writer are recursive, and need almost a kilobyte of stack
 * per level.
 */
const MOST_NESTING = 100;

/** Parses the first YAML document to plain data, with integers as `bigint`. Throws `YamlSyntaxError`. */
export function parseYaml(text: string): unknown {
  if (isNestedDeeply(text)) throw new YamlSyntaxError('nested too deeply', 1);
  const lineCounter = new LineCounter();
  try {
    const [document] = parseAllDocuments(text, { ...READING, lineCounter });
    if (document === undefined) return null;
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    return document.toJS({ maxAliasCount: READING.maxAliasCount }) as unknown;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new YamlSyntaxError(error.message, error instanceof YAMLError ? lineCounter.linePos(error.pos[0]).line : 1);
  }
}

/**
 * Returns the YAML text of a value; undefined if the value is nested too deeply. Calls `onSize` with the number of
 * values before writing them.
 */
export function yamlText(value: Value, onSize: (values: number) => void): string | undefined {
  const plain = toPlain(value);
  const size = sizeOf(plain, MOST_NESTING);
  if (size === Infinity) return undefined;
  onSize(size);
  const document = new Document(plain, { sortMapEntries: true, aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string') node.type = styleOf(node.value);
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false, singleQuote: true });
}

/**
 * Texts that would be read as another type are written in double quotes. Other texts that cannot be plain are written
 * in single quotes.
 */
function styleOf(text: string): Scalar.Type {
  if (text.includes('\n')) return Scalar.BLOCK_LITERAL;
  if (text.includes('\t')) return Scalar.QUOTE_DOUBLE;
  const isPlain = ![NULL, TRUE, FALSE, INTEGER, FLOAT, INFINITE, DOUBTFUL].some((pattern) => pattern.test(text));
  return isPlain ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
}

/** Returns the number of values; `Infinity` if they are nested more deeply than `levels`. */
function sizeOf(plain: Json | undefined, levels: number): number {
  if (typeof plain !== 'object' || plain === null) return 1;
  if (levels === 0) return Infinity;
  let size = 1;
  for (const member of Object.values(plain) as (Json | undefined)[]) size += sizeOf(member, levels - 1);
  return size;
}

/**
 * Returns whether a document may be nested more deeply than `MOST_NESTING`. Uses an upper bound from its brackets, its
 * indentation, and the dashes and question marks at the beginning of its lines.
 */
function isNestedDeeply(text: string): boolean {
  let brackets = 0;
  const columns: number[] = [];
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at);
    brackets = bracketsAfter(text, at, end, brackets);
    if (brackets > MOST_NESTING || indent(text, at, end, columns) > MOST_NESTING) return true;
    at = end + 1;
  }
  return false;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

/** Returns the number of brackets that are open at the end of the line; `Infinity` if too many were open within it. */
function bracketsAfter(text: string, from: number, end: number, before: number): number {
  let open = before;
  for (let at = from; at < end; at++) {
    const char = text[at];
    if (char === '[' || char === '{') open++;
    else if ((char === ']' || char === '}') && open > 0) open--;
    if (open > MOST_NESTING) return Infinity;
  }
  return open;
}

/** Stores the columns at which collections of the line begin. Returns the number of open collections. */
function indent(text: string, from: number, end: number, columns: number[]): number {
  for (let at = from; at < end; at++) {
    const char = text[at] ?? '';
    if (char === ' ' || char === '\t') continue;
    while ((columns.at(-1) ?? -1) >= at - from) columns.pop();
    columns.push(at - from);
    const next = text[at + 1] ?? ' ';
    const begins = (char === '-' || char === '?') && (next === ' ' || next === '\t');
    if (!begins || columns.length > MOST_NESTING) break;
  }
  return columns.length;
}
