import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { CommandContext } from './context.js';
import { EXIT_CODES, usageError, type ExitCode } from './errors.js';
import { withExamples } from './options.js';
import { RESOURCES, spoken, type Resource } from './resources.js';

const MORE_HELP = `
Exit codes:
  0    success
  1    failure without a code of its own: not found, conflict, ...
  3    negative result: a followed execution did not complete, a policy denies, a check failed,
       --dry-run found differences
  64   wrong usage
  65   rejected input
  69   the platform is not reachable
  75   temporary failure: try again
  77   the key is not valid or lacks a scope
  78   no profile, or the file of profiles cannot be read
  130  interrupted

Environment:
  AGENTCTL_PROFILE                the profile to use
  AGENTCTL_URL, AGENTCTL_API_KEY  used together instead of a profile
  AGENTCTL_PLATFORM_API_URL       the address of the platform API, used with these two
  NO_COLOR                        no colors`;

/** Gives a command its options, arguments, help and subcommands. */
type Define = (command: Command, context: CommandContext) => void;

/** A command of the program. Its implementation is loaded only if the arguments name it. */
interface Entry {
  readonly name: string;
  readonly description: string;
  readonly isHidden?: true;
  readonly load: () => Promise<Define>;
}

const entry = (name: string, description: string, load: Entry['load']): Entry => ({ name, description, load });

const ENTRIES: readonly Entry[] = [
  entry(
    'login',
    'Check an API key and store it with the address of the platform in a profile',
    async () => (await import('./commands/login.js')).defineLogin,
  ),
  ...RESOURCES.map((resource) =>
    entry(resource.plural, `Commands for ${spoken(resource.plural)}`, () => loadResource(resource)),
  ),
  entry('run', 'Run an agent, a team or a workflow', async () => (await import('./commands/run.js')).defineRun),
  entry('chat', 'Talk to an agent in the terminal', async () => (await import('./commands/chat.js')).defineChat),
  entry(
    'apply',
    'Create or update the resources of a file, after showing the differences',
    async () => (await import('./commands/apply.js')).defineApply,
  ),
  entry('context', 'Commands for the context of agents, teams, projects and environments', async () =>
    (await import('./commands/action-commands.js')).defineGroup('context'),
  ),
  entry('analytics', 'Commands for totals and failures of executions', async () =>
    (await import('./commands/action-commands.js')).defineGroup('analytics'),
  ),
  entry(
    'health',
    'Show the state of the platform and of its dependencies',
    async () => (await import('./commands/health.js')).defineHealth,
  ),
  entry(
    'mcp',
    'Serve workflows to an MCP client over standard input and output',
    async () => (await import('./commands/mcp.js')).defineMcp,
  ),
  entry('open', 'Open the web console in the browser', async () => (await import('./commands/open.js')).defineOpen),
  entry(
    'profiles',
    'Commands for the stored profiles',
    async () => (await import('./commands/profiles.js')).defineProfiles,
  ),
  entry(
    'whoami',
    'Show the key in use: its scopes, user and organization',
    async () => (await import('./commands/whoami.js')).defineWhoami,
  ),
  entry(
    'completion',
    'Print the script that completes commands, options and names in a shell',
    async () => (await import('./commands/completion.js')).defineCompletion,
  ),
  {
    ...entry(
      '__complete',
      'Print the candidates for the last word',
      async () => (await import('./commands/completion.js')).defineCandidates,
    ),
    isHidden: true,
  },
];

/** Commands that only one kind of resource has. */
const MORE_COMMANDS: Readonly<Record<string, () => Promise<Define>>> = {
  execution: async () => (await import('./commands/executions.js')).addExecutionCommands,
  job: async () => (await import('./commands/jobs.js')).addJobCommands,
  key: async () => (await import('./commands/keys.js')).addKeyCommands,
  policy: async () => (await import('./commands/policies.js')).addPolicyCommands,
  trace: async () => (await import('./commands/traces.js')).addTraceCommands,
};

async function loadResource(resource: Resource): Promise<Define> {
  const { addResourceCommands } = await import('./commands/resource-commands.js');
  const { addActionCommands } = await import('./commands/action-commands.js');
  const addMore = await MORE_COMMANDS[resource.kind]?.();
  return (command, context) => {
    addResourceCommands(command, context, resource);
    addMore?.(command, context);
    addActionCommands(command, context, resource.kind);
  };
}

/** Returns the program. Commands that are not in `used` have only a name and a description. */
export async function createProgram(
  context: CommandContext,
  used: readonly string[] = ENTRIES.map(({ name }) => name),
): Promise<Command> {
  const program = new Command('agentctl')
    .description(manifest.description)
    .version(manifest.version)
    .option('--profile <name>', 'profile to use instead of the current one')
    .exitOverride()
    .showHelpAfterError('Add --help for the usage and examples.')
    .configureHelp({ sortSubcommands: true })
    .hook('preAction', (_program, { registeredArguments, processedArgs }) => {
      // A shell passes an unset variable as an empty name, which some routes would read as that of the list.
      const empty = registeredArguments.find(({ required }, index) => required && processedArgs[index] === '');
      if (empty !== undefined) throw usageError(`<${empty.name()}> is empty.`);
      context.profileName = program.opts<{ profile?: string }>().profile;
    });
  withExamples(program, 'login', 'run agent greeter "Greet Ada." --follow', 'chat greeter', 'apply -f agents.yaml');
  program.addHelpText('after', MORE_HELP);
  for (const { name, description, isHidden = false, load } of ENTRIES) {
    const command = program.command(name, { hidden: isHidden }).description(description);
    if (used.includes(name)) (await load())(command, context);
  }
  return program;
}

/** Runs the program. Returns its exit code; errors are printed to standard error. */
export async function run(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  try {
    // The command is one of the arguments. Loading another one that an argument happens to name does no harm.
    const program = await createProgram(context, args);
    await program.parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    // Commander has printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    const { describeError } = await import('./describe-error.js');
    const { explainFailure } = await import('./platform-address.js');
    const { message, advice, exitCode } = describeError(await explainFailure(error, context));
    context.terminal.note(`agentctl: ${message}`);
    if (advice !== null) context.terminal.note(`  ${advice}`);
    return exitCode;
  }
}
