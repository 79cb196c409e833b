import { ConfigError, setEnvironment } from '@app/config';
import { Command, Option } from 'commander';

export type Transport = 'http' | 'stdio';

/** Options of the command line, each with the variable of the environment that it sets. */
const OPTIONS: readonly (readonly [flags: string, variable: string, description: string])[] = [
  ['--host <address>', 'TOOL_SERVER_HOST', 'address to listen on (default: 127.0.0.1)'],
  ['--port <number>', 'TOOL_SERVER_PORT', 'port to listen on (default: 3002)'],
  ['--public-url <url>', 'TOOL_SERVER_URL', 'URL under which clients reach the server, without /mcp'],
  ['--auth-server <url>', 'SERVICE_AUTH_SERVER', 'authorization server; without it: simple mode'],
  ['--auth-type <type>', 'TOOL_SERVER_AUTH_TYPE', 'oidc (default) or oauth'],
  ['--required-scopes <scopes...>', 'TOOL_SERVER_REQUIRED_SCOPES', 'scopes that every token must have'],
  ['--audience <audiences...>', 'TOOL_SERVER_AUDIENCE', 'audiences of which a token must have one; none: no check'],
  ['--wait-seconds <number>', 'TOOL_SERVER_WAIT_SECONDS', 'how long a call waits for the result (default: 50)'],
];
const EXPOSE = 'TOOL_SERVER_EXPOSE_WORKFLOWS';

/** Sets the variables of the given options, and returns the transport. Throws a CommanderError. */
export function readOptions(args: readonly string[]): Transport {
  const program = new Command('tool-server')
    .description('Runs workflows of the platform for MCP clients, under the identity of each caller.')
    .addOption(new Option('--transport <transport>', 'how clients connect').choices(['http', 'stdio']).default('http'))
    .option('--expose-workflows', 'offer each workflow as a tool of its own')
    .exitOverride();
  const variables = new Map<string, string>();
  for (const [flags, variable, description] of OPTIONS) {
    const option = new Option(flags, `${description} [${variable}]`);
    program.addOption(option);
    variables.set(option.attributeName(), variable);
  }
  const { transport, exposeWorkflows, ...values } = program
    .parse([...args], { from: 'user' })
    .opts<{ transport: Transport; exposeWorkflows?: boolean } & Record<string, string | string[]>>();
  for (const [name, value] of Object.entries(values)) {
    setEnvironment({ [variables.get(name) ?? '']: [value].flat().join(' ') });
  }
  if (exposeWorkflows === true) setEnvironment({ [EXPOSE]: 'true' });
  return transport;
}

/** Returns the lines of a ConfigError with the names of the given options instead of their variables. */
export function describeFaults({ faults }: ConfigError, args: readonly string[]): string {
  const lines = faults.map((fault) => {
    const used = OPTIONS.find(
      ([flags, variable]) => fault.startsWith(variable) && args.includes(flags.split(' ')[0] ?? ''),
    );
    return used === undefined ? fault : fault.replace(used[1], used[0].split(' ')[0] ?? '');
  });
  return lines.map((line) => `  ${line}`).join('\n');
}
