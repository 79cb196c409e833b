import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import type { Logger } from '@app/observability';
import { withTimeout } from '../../deadline.js';
import { networkReason } from '../../network-reason.js';
import { RuntimeFailure } from '../runtime.js';
import type { McpServerSettings } from './mcp-settings.js';

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 2_000;

type Transport = Parameters<typeof createMCPClient>[0]['transport'];
type Tools = Awaited<ReturnType<MCPClient['tools']>>;

/** A connected server with its tools. */
export interface McpConnection {
  readonly server: string;
  readonly tools: Tools;
}

/** The connections to the MCP servers of one execution. */
export class McpConnections {
  private readonly clients: MCPClient[] = [];

  constructor(private readonly logger: Logger) {}

  /** Connects to all servers concurrently. Throws a RuntimeFailure that names the first server that cannot be used. */
  async open(servers: readonly McpServerSettings[], signal: AbortSignal): Promise<McpConnection[]> {
    const results = await Promise.allSettled(servers.map((server) => this.connect(server, signal)));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  async close(): Promise<void> {
    const closing = this.clients.map((client) =>
      withTimeout(client.close(), CLOSE_TIMEOUT_MS, 'closing took too long'),
    );
    await Promise.allSettled(closing);
  }

  private async connect(server: McpServerSettings, signal: AbortSignal): Promise<McpConnection> {
    try {
      const client = await createMCPClient({
        transport: transportFor(server),
        clientName: 'agent-worker',
        initializationOptions: { signal, timeout: CONNECT_TIMEOUT_MS },
        onUncaughtError: (error) =>
          this.logger.debug({ mcp_server: server.name, reason: publicReasonOf(error) }, 'MCP connection failed'),
      });
      this.clients.push(client);
      const tools = await withTimeout(client.tools(), CONNECT_TIMEOUT_MS, 'listing its tools took too long');
      return { server: server.name, tools };
    } catch (error) {
      signal.throwIfAborted();
      throw new RuntimeFailure(`The MCP server ${server.name} cannot be used: ${publicReasonOf(error)}`);
    }
  }
}

/** Rejects redirects, because they would send the configured headers to another host. */
function transportFor(server: McpServerSettings): Transport {
  if (server.transport === 'stdio') {
    const { command, args, env } = server;
    return new StdioTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
  }
  return { type: server.transport, url: server.url, headers: { ...server.headers }, redirect: 'error' };
}

/** The messages of this client and of its transports that contain nothing a server sent. */
const OWN_MESSAGE =
  /^(?:Connection closed|Request timed out after \d+ms|MCP client initialization was aborted|Server does not support tools|Server sent invalid initialize result|Failed to parse server response|listing its tools took too long)$/;

/**
 * Describes the failure without anything that the server sent: the message becomes the `error_message` of the execution,
 * and whoever starts a run could read internal services through it. Nor does it contain the command, whose variables are
 * replaced.
 */
function publicReasonOf(error: unknown): string {
  const spawnCode = spawnCodeOf(error);
  if (spawnCode !== undefined) return `its command cannot be started (${spawnCode})`;
  const status = statusOf(error);
  if (status !== undefined) return `it responded with ${status}`;
  if (isLocal(error)) return networkReason(error);
  if (error instanceof Error && OWN_MESSAGE.test(error.message)) return error.message;
  return 'its response is not that of an MCP server, or reports an error';
}

/** Returns the status of an HTTP response; the SSE transport has it in the message only. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  const [, status] = /^MCP SSE Transport Error: (\d{3})\b/.exec(error.message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Returns the code of an error of the operating system when it starts a process, for example ENOENT. */
function spawnCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { syscall, code, cause } = error as Partial<NodeJS.ErrnoException>;
  return syscall?.startsWith('spawn') === true ? code : spawnCodeOf(cause);
}

/** Returns whether the operating system or `fetch` reports the failure, for example ECONNREFUSED. */
function isLocal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('message' in error && error.message === 'fetch failed') return true;
  return ('code' in error && typeof error.code === 'string') || ('cause' in error && isLocal(error.cause));
}
