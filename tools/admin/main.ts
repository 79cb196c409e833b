// `npm run --silent admin -- <command>`: what the operator of an installation does outside the APIs. Prints one line of
// JSON to standard output and nothing else; whatever keeps it from its work is one message on standard error.
import { readDotEnv } from '../start/settings.js';
import { parseCommandLine, UsageError, usage, type AdminCommand } from './command-line.js';
import { EXIT, exitCodeOf, messageOf } from './failure.js';
import { useStores } from './stores.js';

readDotEnv();
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommandLine(args);
    if (command === 'help') process.stdout.write(usage);
    else process.stdout.write(`${JSON.stringify(await run(command))}\n`);
    return EXIT.done;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    if (error instanceof UsageError) process.stderr.write('  `npm run --silent admin -- --help` lists the commands.\n');
    return exitCodeOf(error);
  }
}

/** The domain reads the environment while it is loaded, so it is loaded once the stores are known. */
async function run(command: AdminCommand): Promise<unknown> {
  useStores(process.env);
  const { runCommand } = await import('./run-command.js');
  return runCommand(command);
}
