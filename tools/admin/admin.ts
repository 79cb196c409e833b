import { parseCommandLine, USAGE, UsageError, type AdminCommand } from './command-line.js';
import { EXIT_CODES, exitCodeOf, messageOf } from './exit-codes.js';
import { selectDatabase } from './select-database.js';

interface Output {
  write(text: string): unknown;
}

/** Runs the command of `args` and returns the exit code. */
export async function admin(args: readonly string[], stdout: Output, stderr: Output): Promise<number> {
  try {
    const command = parseCommandLine(args);
    if (command === 'help') stdout.write(USAGE);
    else stdout.write(`${JSON.stringify(await run(command))}\n`);
    return EXIT_CODES.done;
  } catch (error) {
    stderr.write(`${messageOf(error)}\n`);
    if (error instanceof UsageError) stderr.write('  See `npm run --silent admin -- --help`.\n');
    return exitCodeOf(error);
  }
}

/** Imports the domain modules after selectDatabase, because they read the environment when they are loaded. */
async function run(command: AdminCommand): Promise<unknown> {
  selectDatabase(process.env);
  const { runCommand } = await import('./run-command.js');
  return runCommand(command);
}
