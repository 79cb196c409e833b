import type { Command } from 'commander';
import { readAssignments, readDocument } from './documents.js';
import { usageError } from './errors.js';
import { pairsOption } from './options.js';
import type { Row } from './output.js';
import type { Terminal } from './terminal.js';

export interface FieldOptions {
  readonly file?: string;
  readonly set: Record<string, string>;
}

/** Adds the options with which a command gets the fields of a request. */
export function withFields(command: Command): Command {
  return command
    .option('-f, --file <file>', 'YAML or JSON file with the fields; - for standard input')
    .addOption(
      pairsOption('-s, --set <field=value>', 'value of a field, as YAML; dots separate the names of nested fields'),
    );
}

/** Returns the fields of the file, overridden by those of --set; null without both options. */
export async function readFields({ file, set }: FieldOptions, terminal: Terminal): Promise<Row | null> {
  if (file === undefined && Object.keys(set).length === 0) return null;
  const fields = file === undefined ? {} : await readDocument(file, terminal);
  return { ...fields, ...(await readAssignments(set)) };
}

/** The platform ignores unknown query parameters, so a misspelt filter would return rows that do not match it. */
export function checkFilters(
  subject: string,
  names: readonly string[],
  filter: Readonly<Record<string, string>>,
): void {
  const unknown = Object.keys(filter).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const advice = names.length === 0 ? 'It has no filters.' : `Filters: ${names.join(', ')}.`;
  throw usageError(`${subject} has no filter ${unknown.join(', ')}.`, advice);
}
