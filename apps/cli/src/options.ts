import { InvalidArgumentError, Option, type Command } from 'commander';
import { usageError } from './errors.js';
import { FORMATS } from './output.js';

/** Adds examples to the help of a command, written without the name of the program. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ agentctl ${example}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${lines}`);
}

export const formatOption = (): Option =>
  new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table');

/** An option `key=value` that can be repeated; its value is an object of texts. */
export function pairsOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).default({}, 'none').argParser(readPair);
}

function readPair(pair: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const separator = pair.indexOf('=');
  if (separator < 1) throw usageError(`Expected key=value: ${pair}`);
  return { ...before, [pair.slice(0, separator)]: pair.slice(separator + 1) };
}

const MULTITASK = ['enqueue', 'reject', 'parallel'] as const;
export type Multitask = (typeof MULTITASK)[number];

export const multitaskOption = (): Option =>
  new Option(
    '--multitask <mode>',
    'while another run of the session has not ended: wait, fail, or run beside it',
  ).choices(MULTITASK);

/** Parses the value of an option that is a whole number above 0. */
export function readCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return count;
}
