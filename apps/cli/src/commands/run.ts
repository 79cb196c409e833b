import { unwrap } from '@app/api-client';
import { Argument, type Command } from 'commander';
import { connect, type Connection } from '../connection.js';
import type { CommandContext } from '../context.js';
import { readText } from '../documents.js';
import { usageError } from '../errors.js';
import { multitaskOption, pairsOption, withExamples, type Multitask } from '../options.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import { allowMissingOption, checkParameters, type ParameterOptions } from '../parameters.js';
import { announce, withStartOptions, type StartOptions } from '../start.js';

const KINDS = ['agent', 'team', 'workflow'] as const;
type Kind = (typeof KINDS)[number];

interface RunOptions extends StartOptions, ParameterOptions {
  readonly param: Record<string, string>;
  readonly file?: string;
  readonly session?: string;
  readonly multitask?: Multitask;
}

export function defineRun(run: Command, context: CommandContext): void {
  run
    .addArgument(new Argument('<kind>', 'what to run').choices(KINDS))
    .argument('<name>', 'its name or id')
    .argument('[prompt]', 'prompt; - for standard input. A workflow reads it as {{params.prompt}}')
    .addOption(pairsOption('-p, --param <key=value>', 'value of {{params.<key>}} in the steps of a workflow'))
    .addOption(allowMissingOption())
    .option('-f, --file <file>', 'file with the prompt; - for standard input')
    .option('--session <id>', 'continue this session of an agent or a team')
    .addOption(multitaskOption());
  withStartOptions(run).action((kind: Kind, name: string, prompt: string | undefined, options: RunOptions) =>
    start(context, kind, name, prompt, options),
  );
  withExamples(
    run,
    'run agent greeter "Greet Ada." --follow',
    'run team support --file prompt.txt --session ada-1 --follow',
    'run workflow release --param version=1.2 --follow',
    'run agent greeter - --follow < prompt.txt',
  ).addHelpText(
    'after',
    '\nPrints the id of the execution first. Exit code 3: the execution failed at once, or the followed one did not complete.',
  );
}

async function start(
  context: CommandContext,
  kind: Kind,
  name: string,
  given: string | undefined,
  options: RunOptions,
): Promise<void> {
  const prompt = await readPrompt(context, kind, given, options);
  const connection = connect(context);
  const client = new ResourceClient(connection, requireResource(kind));
  const id = client.idOf(await client.find(name));
  await announce(context, connection, await STARTS[kind](connection, id, prompt, options), options);
}

type Started = Parameters<typeof announce>[2];
type Start = (connection: Connection, id: string, prompt: string, options: RunOptions) => Promise<Started>;

const STARTS: Readonly<Record<Kind, Start>> = {
  agent: ({ controlPlane }, agent_id, prompt, options) =>
    unwrap(
      controlPlane.POST('/api/v1/agents/{agent_id}/execute', {
        params: { path: { agent_id } },
        body: { prompt, ...inSession(options) },
      }),
    ),
  team: ({ controlPlane }, team_id, prompt, options) =>
    unwrap(
      controlPlane.POST('/api/v1/teams/{team_id}/execute', {
        params: { path: { team_id } },
        body: { prompt, ...inSession(options) },
      }),
    ),
  workflow: async ({ controlPlane }, workflow_id, prompt, options) => {
    const params = { path: { workflow_id } };
    const request = { params, body: { params: prompt === '' ? options.param : { prompt, ...options.param } } };
    await checkParameters(options, () => unwrap(controlPlane.POST('/api/v1/workflows/{workflow_id}/preview', request)));
    return unwrap(controlPlane.POST('/api/v1/workflows/{workflow_id}/execute', request));
  },
};

const inSession = ({ session, multitask }: RunOptions): { session_id?: string; multitask?: Multitask } => ({
  ...(session !== undefined && { session_id: session }),
  ...(multitask !== undefined && { multitask }),
});

/** Returns an empty text for a workflow without a prompt. */
async function readPrompt(
  { terminal }: CommandContext,
  kind: Kind,
  given: string | undefined,
  { file, param, session }: RunOptions,
): Promise<string> {
  if (kind === 'workflow' && session !== undefined) throw usageError('A workflow continues no session.');
  if (kind !== 'workflow' && Object.keys(param).length > 0) {
    throw usageError(
      'Only workflows have parameters.',
      'Write the values into the prompt, or create a job: jobs create',
    );
  }
  if (given !== undefined && file !== undefined) throw usageError('Give the prompt or --file, not both.');
  const source = given === '-' ? '-' : file;
  const prompt = source === undefined ? (given ?? '') : await readText(source, terminal);
  if (prompt.trim() === '' && kind !== 'workflow') {
    throw usageError('The prompt is missing.', `agentctl run ${kind} NAME "prompt", or --file FILE`);
  }
  return prompt;
}
