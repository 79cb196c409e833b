import { readFileSync } from 'node:fs';
import type { ScalarTag } from 'yaml';
import { CommandError, EXIT_CODES, usageError } from './errors.js';
import type { Row } from './output.js';
import type { Terminal } from './terminal.js';

/** The id of another resource, `!ref kind/name` in a file. */
export class Reference {
  constructor(
    readonly kind: string,
    readonly name: string,
  ) {}

  get label(): string {
    return `${this.kind}/${this.name}`;
  }
}

/** Reads integers as bigints, which `withNumbers` keeps only where a number would round them. */
const EXACT = { intAsBigInt: true };
const withNumbers = (_key: unknown, value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

const dataError = (message: string): CommandError => new CommandError(message, EXIT_CODES.data);

/**
 * Returns the documents of a YAML or JSON file, of standard input for `-`. `!ref kind/name` becomes a Reference and
 * `!env NAME` the value of a variable. Throws a CommandError for a file that cannot be read or is not valid.
 */
export async function readDocuments(file: string, terminal: Terminal): Promise<Row[]> {
  const { parseAllDocuments } = await import('yaml');
  const content = await readText(file, terminal);
  const documents = parseAllDocuments(content, { customTags: [REFERENCE, variableOf(terminal.env)], ...EXACT });
  return [...documents].map((document, index) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw dataError(`${file}: ${fault.message}`);
    const value: unknown = document.toJS({ reviver: withNumbers });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
    throw dataError(`${file}: document ${index + 1} is not an object.`);
  });
}

/** Returns the document of a file with exactly one. */
export async function readDocument(file: string, terminal: Terminal): Promise<Row> {
  const [document, ...others] = await readDocuments(file, terminal);
  if (document === undefined || others.length > 0) {
    throw dataError(`${file}: expected one document; agentctl apply takes several.`);
  }
  return document;
}

export async function readText(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.readInput();
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
}

const REFERENCE: ScalarTag = {
  tag: '!ref',
  resolve(text, onError) {
    const [, kind, name] = /^([a-z-]+)\/(.+)$/.exec(text) ?? [];
    if (kind !== undefined && name !== undefined) return new Reference(kind, name);
    onError(`Expected kind/name after !ref: ${text}`);
    return text;
  },
};

/** Keeps secrets out of files. */
function variableOf(env: NodeJS.ProcessEnv): ScalarTag {
  return {
    tag: '!env',
    resolve(name, onError) {
      const value = env[name];
      if (value === undefined) onError(`The environment variable ${name} is not set`);
      return value ?? '';
    },
  };
}

/**
 * Returns fields from `key=value` pairs. A value is parsed as YAML; dots in a key separate the keys of nested objects.
 */
export async function readAssignments(pairs: Readonly<Record<string, string>>): Promise<Row> {
  const { parse } = await import('yaml');
  const fields: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(pairs)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let target = fields;
    for (const key of keys) {
      if (!Object.hasOwn(target, key)) target[key] = {};
      const next = target[key];
      if (typeof next !== 'object' || next === null) throw usageError(`${path} is set twice.`);
      target = next as Record<string, unknown>;
    }
    try {
      target[last] = parse(text, withNumbers, { logLevel: 'error', ...EXACT }) as unknown;
    } catch (error) {
      const [reason] = (error as Error).message.split(' at line');
      throw usageError(`The value of ${path} is not valid YAML: ${reason}.`, `Quote it: --set '${path}="${text}"'`);
    }
  }
  return fields;
}
