import { stringifyWithBigInts } from '@app/api-client';
import type { Terminal } from './terminal.js';
import { escaped, printable } from './terminal.js';

export const FORMATS = ['table', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export type Row = Readonly<Record<string, unknown>>;

/** Prints rows: a table of the columns, or all fields of each row. */
export async function printRows(
  terminal: Terminal,
  rows: readonly Row[],
  columns: readonly string[],
  format: Format,
): Promise<void> {
  if (format === 'table') terminal.print(tableOf(rows, columns, (head) => terminal.style('bold', head)));
  else terminal.write(await serialize(rows, format));
}

/** Prints one row: each field on a line of its own, or as JSON or YAML. */
export async function printRow(terminal: Terminal, row: Row, format: Format): Promise<void> {
  terminal.write(await serialize(row, format === 'json' ? 'json' : 'yaml'));
}

/** Imports the YAML package on first use, because few commands need it. */
export async function serialize(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${jsonText(value, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}

/** Control characters that JSON may contain as they are. */
const UNESCAPED = /[\u007f-\u009f]/g;

/** Returns JSON without control characters, which terminals would obey, and with all digits of integers. */
export function jsonText(value: unknown, indent = 0): string {
  return stringifyWithBigInts(value, indent).replaceAll(UNESCAPED, escaped);
}

const MAX_CELL = 60;

/** Columns are as wide as their longest cell; a cell has at most 60 characters. */
export function tableOf(
  rows: readonly Row[],
  columns: readonly string[],
  styleHead: (head: string) => string = (head) => head,
): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const lineOf = (line: readonly string[]): string =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const head = lineOf(columns.map((column) => column.toUpperCase().replaceAll('_', ' ')));
  return [styleHead(head), ...cells.map(lineOf)].join('\n');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  const text = typeof value === 'string' ? value : stringifyWithBigInts(value);
  const line = printable(text.replaceAll(/\s+/g, ' '));
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line;
}
