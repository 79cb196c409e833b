import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import type { Logger } from '@app/observability';
import { withTimeout } from '../../deadline.js';
import { RuntimeFailure } from '../runtime.js';
import { describeMcpFailure } from './mcp-failure.js';
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

  /** `cwd`: the folder in which programs of servers run; null: that of the worker. */
  constructor(
    private readonly logger: Logger,
    private readonly cwd: string | null = null,
  ) {}

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
      withTimeout(client.close(), CLOSE_TIMEOUT_MS, () => new Error('closing took too long')),
    );
    await Promise.allSettled(closing);
  }

  private async connect(server: McpServerSettings, signal: AbortSignal): Promise<McpConnection> {
    try {
      const client = await createMCPClient({
        transport: transportFor(server, this.cwd),
        clientName: 'agent-worker',
        initializationOptions: { signal, timeout: CONNECT_TIMEOUT_MS },
        onUncaughtError: (error) =>
          this.logger.debug({ mcp_server: server.name, reason: describeMcpFailure(error) }, 'MCP connection failed'),
      });
      this.clients.push(client);
      const late = () => new Error('listing its tools took too long');
      const tools = await withTimeout(client.tools(), CONNECT_TIMEOUT_MS, late);
      return { server: server.name, tools };
    } catch (error) {
      signal.throwIfAborted();
      throw new RuntimeFailure(`The MCP server ${server.name} cannot be used: ${describeMcpFailure(error)}`);
    }
  }
}

/** Rejects redirects, because they would send the configured headers to another host. */
function transportFor(server: McpServerSettings, cwd: string | null): Transport {
  if (server.transport === 'stdio') {
    const { command, args, env } = server;
    return new StdioTransport({
      command,
      args: [...args],
      env: { ...env },
      stderr: 'ignore',
      ...(cwd === null ? {} : { cwd }),
    });
  }
  return { type: server.transport, url: server.url, headers: { ...server.headers }, redirect: 'error' };
}
