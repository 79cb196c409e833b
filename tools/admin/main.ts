// `npm run --silent admin -- <command>`: operator commands that are not part of the APIs. Prints exactly one line of
// JSON to standard output on success, and one message to standard error on failure.
import { readDotEnv } from '../start/settings.js';
import { parseCommandLine, USAGE, UsageError, type AdminCommand } from './command-line.js';
import { EXIT_CODES, exitCodeOf, messageOf } from './exit-codes.js';
import { selectDatabase } from './select-database.js';

readDotEnv();
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommandLine(args);
    if (command === 'help') process.stdout.write(USAGE);
    else process.stdout.write(`${JSON.stringify(await run(command))}\n`);
    return EXIT_CODES.done;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    if (error instanceof UsageError) process.stderr.write('  See `npm run --silent admin -- --help`.\n');
    return exitCodeOf(error);
  }
}

/** Imports the domain modules after selectDatabase, because they read the environment when they are loaded. */
async function run(command: AdminCommand): Promise<unknown> {
  selectDatabase(process.env);
  const { runCommand } = await import('./run-command.js');
  return runCommand(command);
}
