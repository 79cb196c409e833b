import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The command line is invalid. */
export class UsageError extends Error {}

const MANY = { type: 'string', multiple: true } as const;
const ONE = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const HELP = { help: { ...FLAG, short: 'h' } } as const;
const FORMAT = { format: { ...ONE, short: 'f' } } as const;

/** The options of each command, named as in the `opa` command where it has the same option. */
export const OPTIONS = {
  eval: {
    ...HELP,
    ...FORMAT,
    data: { ...MANY, short: 'd' },
    policy: MANY,
    input: { ...ONE, short: 'i' },
    'stdin-input': { ...FLAG, short: 'I' },
    fail: FLAG,
    'fail-defined': FLAG,
    strict: FLAG,
    'strict-builtin-errors': FLAG,
  },
  check: { ...HELP, ...FORMAT },
  fmt: { ...HELP, write: { ...FLAG, short: 'w' }, list: { ...FLAG, short: 'l' }, check: FLAG, fail: FLAG },
  conformance: { ...HELP, json: FLAG, threshold: ONE },
  fuzz: { ...HELP, runs: ONE, seed: ONE },
} as const satisfies Record<string, Options>;

/**
 * Parses the arguments of a command. Throws UsageError for an unknown option, because ignoring it would silently
 * change the result.
 */
export function readArguments<T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function readNumber(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`--${option} requires a number`);
  return value;
}

/** Reads a fraction: a value above 1 is a percentage. */
export function readFraction(option: string, text: string): number {
  const value = readNumber(option, text);
  if (value < 0 || value > 100) throw new UsageError(`--${option} requires a percentage from 0 to 100`);
  return value > 1 ? value / 100 : value;
}

/** Reads --format; undefined selects the default output. */
export function readFormat(text: string | undefined, formats: readonly string[]): string | undefined {
  if (text !== undefined && !formats.includes(text)) throw new UsageError(`--format must be ${formats.join(' or ')}`);
  return text;
}
