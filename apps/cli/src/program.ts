import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addApplyCommand } from './commands/apply.js';
import { addCompletionCommands } from './commands/completion.js';
import { addExecutionCommands } from './commands/executions.js';
import { addHealthCommand } from './commands/health.js';
import { addJobCommands } from './commands/jobs.js';
import { addKeyCommands } from './commands/keys.js';
import { addLoginCommands } from './commands/login.js';
import { addPolicyCommands } from './commands/policies.js';
import { addProfileCommands } from './commands/profiles.js';
import { addResourceCommands } from './commands/resource-commands.js';
import type { Context } from './context.js';
import { describeError, EXIT_CODES, type ExitCode } from './errors.js';
import { withExamples } from './options.js';
import { RESOURCES } from './resources.js';

const MORE_HELP = `
Exit codes:
  0    success
  1    failure without a code of its own: not found, conflict, ...
  3    the answer is no: a followed execution did not complete, a policy denies, a check failed
  64   wrong usage
  65   rejected input
  69   the platform is not reachable
  75   temporary failure: try again
  77   the key is not valid or lacks a scope
  78   no profile, or its file cannot be read
  130  interrupted

Environment:
  AGENTCTL_PROFILE                the profile to use
  AGENTCTL_URL, AGENTCTL_API_KEY  used instead of a profile, together; AGENTCTL_PLATFORM_API_URL beside them
  NO_COLOR                        no colors`;

/** Commands of a kind of resource beside those that all have. */
const MORE_COMMANDS: Readonly<Record<string, (command: Command, context: Context) => void>> = {
  execution: addExecutionCommands,
  job: addJobCommands,
  key: addKeyCommands,
  policy: addPolicyCommands,
};

export function createProgram(context: Context): Command {
  const program = new Command('agentctl')
    .description(manifest.description)
    .version(manifest.version)
    .option('--profile <name>', 'profile to use instead of the current one')
    .exitOverride()
    .showHelpAfterError('Add --help for the usage and examples.')
    .configureHelp({ sortSubcommands: true })
    .hook('preAction', () => {
      context.profileName = program.opts<{ profile?: string }>().profile;
    });
  withExamples(program, 'login', 'jobs list', 'jobs trigger greet --param name=Ada --follow');
  program.addHelpText('after', MORE_HELP);
  addLoginCommands(program, context);
  for (const resource of RESOURCES) {
    const command = addResourceCommands(program, context, resource);
    MORE_COMMANDS[resource.kind]?.(command, context);
  }
  addApplyCommand(program, context);
  addHealthCommand(program, context);
  addProfileCommands(program, context);
  addCompletionCommands(program, context);
  return program;
}

/** Runs the program. Returns its exit code; errors are printed to standard error. */
export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    // Commander has printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    const { message, advice, exitCode } = describeError(error);
    context.terminal.note(`agentctl: ${message}`);
    if (advice !== null) context.terminal.note(`  ${advice}`);
    return exitCode;
  }
}
