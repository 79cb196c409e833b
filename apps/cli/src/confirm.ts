import { Option } from 'commander';
import { CommandError, EXIT_CODES } from './errors.js';
import type { Terminal } from './terminal.js';

export const yesOption = (): Option => new Option('-y, --yes', 'do not ask');

/** Asks a question. Throws a CommandError unless the answer is yes. */
export async function confirm(terminal: Terminal, question: string): Promise<void> {
  const answer = await terminal.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw new CommandError('Nothing was changed.', EXIT_CODES.failed);
}
