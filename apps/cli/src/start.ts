import type { Command } from 'commander';
import type { Connection } from './connection.js';
import type { CommandContext } from './context.js';
import { EXIT_CODES } from './errors.js';
import { follow, type FollowOptions } from './follow.js';
import { jsonText } from './output.js';

export interface StartOptions extends FollowOptions {
  readonly follow?: true;
}

/** The response to a start. */
interface Started {
  readonly execution_id: string;
  readonly status: string;
  readonly message: string;
}

/** Adds the options of commands that start an execution. */
export function withStartOptions(command: Command): Command {
  return command
    .option('--follow', 'print the events of the execution until it ends')
    .option('--json', 'one JSON object per line');
}

/** Prints the id of a started execution and follows it if this is wanted. An execution that failed at once is a failure. */
export async function announce(
  context: CommandContext,
  connection: Connection,
  started: Started,
  options: StartOptions,
): Promise<void> {
  const { terminal } = context;
  terminal.print(options.json === true ? jsonText(started) : started.execution_id);
  if (options.follow === true) {
    context.exitCode = await follow(connection, terminal, started.execution_id, options);
    return;
  }
  if (started.status !== 'failed') return;
  terminal.note(started.message);
  context.exitCode = EXIT_CODES.negative;
}
