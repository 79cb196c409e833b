import type { Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { CommandError, EXIT_CODES } from '../errors.js';
import { readCount, withExamples } from '../options.js';

/** The limits of the tool server. */
const DEFAULT_WAIT_SECONDS = 50;
const PLATFORM_TIMEOUT_MS = 20_000;
/** For a start that is repeated once, and the cancellation of its run. */
const GRACE_MS = 3 * PLATFORM_TIMEOUT_MS;

interface McpOptions {
  readonly waitSeconds: number;
  readonly exposeWorkflows?: boolean;
}

/** Standard output belongs to the protocol. */
export function defineMcp(mcp: Command, context: CommandContext): void {
  mcp
    .option('--wait-seconds <number>', 'how long a call waits for a result', readCount, DEFAULT_WAIT_SECONDS)
    .option('--expose-workflows', 'offer each workflow as a tool of its own')
    .action(async ({ waitSeconds, exposeWorkflows = false }: McpOptions) => {
      const { profile } = connect(context);
      const { platform_api_url: platformUrl, api_key: apiKey } = profile;
      if (platformUrl === null) {
        const advice = 'Sign in with both addresses: agentctl login --platform-api-url URL';
        throw new CommandError('The address of the platform API is not known.', EXIT_CODES.config, advice);
      }
      const { serveOverStdio } = await import('@app/mcp-tools');
      const warn = (text: string): void => void process.stderr.write(`agentctl: ${text}\n`);
      serveOverStdio({
        endpoint: { url: platformUrl, timeoutMs: PLATFORM_TIMEOUT_MS },
        apiKey,
        waitSeconds,
        exposeWorkflows,
        graceMs: GRACE_MS,
        record: () => undefined,
        report: ({ tool, error }) => warn(`${tool}: ${(error as Error).message}`),
        warn,
      });
    });
  withExamples(mcp, 'mcp', '--profile staging mcp --expose-workflows');
}
