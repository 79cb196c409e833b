import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The command line is not understood. */
export class UsageError extends Error {}

const MANY = { type: 'string', multiple: true } as const;
const ONE = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const HELP = { help: { ...FLAG, short: 'h' } } as const;
const FORMAT = { format: { ...ONE, short: 'f' } } as const;

/** Options of each command. Where `opa` has the same, they have its names. */
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

/** What is not an option of the command is refused: left out, it would change what is answered without a word. */
export function readArguments<T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`--${option} takes a number`);
  return value;
}

/** A part of a whole, up to 1; more than that is taken for a percentage. */
export function partOf(option: string, text: string): number {
  const value = numberOf(option, text);
  if (value < 0 || value > 100) throw new UsageError(`--${option} takes a percentage from 0 to 100`);
  return value > 1 ? value / 100 : value;
}

/** How answers and faults are printed. */
export function formatOf(text: string | undefined, known: readonly string[]): string | undefined {
  if (text !== undefined && !known.includes(text)) throw new UsageError(`--format takes ${known.join(' or ')}`);
  return text;
}
