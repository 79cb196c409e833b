import { LineCounter, parse, stringify, YAMLError } from 'yaml';
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

const READING = {
  maxAliasCount: 100,
  intAsBigInt: true,
  merge: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;
/** Collections inside one another. The reader and the writer recurse, with most of a kilobyte of stack a level. */
const MOST_NESTING = 100;

/** Reads a YAML document to plain data, with integers as `bigint`. Throws `YamlSyntaxError`. */
export function parseYaml(text: string): unknown {
  if (isNestedDeeply(text)) throw new YamlSyntaxError('nested too deeply', 1);
  const lineCounter = new LineCounter();
  try {
    return parse(text, { ...READING, lineCounter });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new YamlSyntaxError(error.message, error instanceof YAMLError ? lineCounter.linePos(error.pos[0]).line : 1);
  }
}

/** Undefined where the value is nested too deeply. `onSize` hears how many values there are to write before they are. */
export function yamlText(value: Value, onSize: (values: number) => void): string | undefined {
  const plain = toPlain(value);
  const size = sizeOf(plain, MOST_NESTING);
  if (size === Infinity) return undefined;
  onSize(size);
  return stringify(plain, { sortMapEntries: true, lineWidth: 0, indentSeq: false });
}

/** How many values there are; `Infinity` where they are nested more deeply than `levels`. */
function sizeOf(plain: Json | undefined, levels: number): number {
  if (typeof plain !== 'object' || plain === null) return 1;
  if (levels === 0) return Infinity;
  let size = 1;
  for (const member of Object.values(plain) as (Json | undefined)[]) size += sizeOf(member, levels - 1);
  return size;
}

/**
 * Whether a document may be nested more deeply than is read: an upper bound from its brackets, its indentation and the
 * dashes and question marks that begin its lines.
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

/** How many are open at the end of the line; `Infinity` when there were too many within it. */
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

/** Notes the columns at which collections of the line begin; answers how many are open. */
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
