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

/** A server that is connected, with what it offers. */
export interface McpConnection {
  readonly server: string;
  readonly tools: Tools;
}

/** The MCP servers of one execution: connected together, closed together. */
export class McpConnections {
  private readonly clients: MCPClient[] = [];

  constructor(private readonly logger: Logger) {}

  /** Connects to all of them at once. One that cannot be reached fails the whole, by its name. */
  async open(servers: readonly McpServerSettings[], signal: AbortSignal): Promise<McpConnection[]> {
    const opened = await Promise.allSettled(servers.map((server) => this.connect(server, signal)));
    return opened.map((result) => {
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
          this.logger.debug({ mcp_server: server.name, reason: reasonOf(error) }, 'MCP connection'),
      });
      this.clients.push(client);
      const tools = await withTimeout(client.tools(), CONNECT_TIMEOUT_MS, 'listing its tools took too long');
      return { server: server.name, tools };
    } catch (error) {
      signal.throwIfAborted();
      throw new RuntimeFailure(`The MCP server ${server.name} cannot be used: ${reasonOf(error)}`);
    }
  }
}

/** Redirects are refused, because they would carry the configured headers elsewhere. */
function transportFor(server: McpServerSettings): Transport {
  if (server.transport === 'stdio') {
    const { command, args, env } = server;
    return new StdioTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
  }
  return { type: server.transport, url: server.url, headers: { ...server.headers }, redirect: 'error' };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== 'fetch failed' ? error.message : networkReason(error);
}
